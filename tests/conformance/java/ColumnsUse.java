// SPDX-License-Identifier: Apache-2.0
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import wire.conformance.columns2.Sample;
import wire.conformance.columns2.SampleColumns;
import wire.osi3.LidarSensorView;
import wire.osi3.LidarSensorViewReflectionColumns;
import wire.runtime.Reduction;
import wire.runtime.WireException;

/** Builds columns from arrays and reads them through views, as a user would; throws where it fails. */
public final class ColumnsUse {
    private static final int COUNT = 1000;

    public static void main(String[] arguments) throws Exception {
        arraysAreReadWhereTheyLie();
        for (Reduction how : List.of(Reduction.EXACT, Reduction.AUTO, Reduction.FLOAT32, Reduction.error(0.5))) {
            buildersAndRowsAgree(how);
        }
        everyTypeHasItsColumn();
        whatDoesNotFitIsRefused();
        fewBytesDoNotTakeMuchMemory();
        rowsAreBoundedInProportion();
        System.out.println("done");
    }

    private static void arraysAreReadWhereTheyLie() throws WireException {
        double[] times = new double[COUNT];
        Arrays.setAll(times, i -> 1e-7 * i * i);
        var builder = LidarSensorViewReflectionColumns.builder(COUNT);
        builder.timeOfFlight(times);
        LidarSensorView around = new LidarSensorView();
        around.reflection = new LidarSensorView.Reflection[] {new LidarSensorView.Reflection()};
        int number = LidarSensorViewReflectionColumns.LIDAR_SENSOR_VIEW_REFLECTION;
        byte[] message = builder.appendTo(around.toProtobuf(), number);
        check(LidarSensorView.fromProtobuf(message, 0, message.length).reflection.length == 1, "old readers");

        ByteBuffer content = LidarSensorViewReflectionColumns.find(message);
        check(content.arrayOffset() + content.remaining() == message.length, "the columns field is last");
        var columns = LidarSensorViewReflectionColumns.read(content);
        check(columns.size() == COUNT && columns.timeOfFlight().isPlain(), "plain");
        check(Arrays.equals(columns.timeOfFlight().toArray(), times), "values");
        check(columns.timeOfFlight().buffer().get(7) == times[7], "buffer");
        int first = message.length - 8 * COUNT;
        check(first % 64 == 0 && ByteBuffer.wrap(message, first, 8).get() == 0, "alignment");
        message[message.length - 1] = 0x40;
        check(columns.timeOfFlight().get(COUNT - 1) > 1, "the same memory");
        check(columns.timeOfFlight().isStored() && columns.timeOfFlight().hasAll(), "all");
        check(!columns.signalStrength().isStored() && !columns.signalStrength().hasAll(), "none");
        check(!columns.signalStrength().has(3) && columns.signalStrength().get(3) == 0, "absent");
        check(!columns.objectId().value().has(0), "absent inside");
        check(LidarSensorViewReflectionColumns.find(new byte[] {10, 0}) == null, "no columns field");

        appendsToAMessageInABuffer(builder, around.toProtobuf());
        ByteBuffer direct = ByteBuffer.allocateDirect(message.length + 64).position(5);
        builder.write(direct, 1);
        check(direct.position() - 5 == builder.size(4), "size");
        columns = LidarSensorViewReflectionColumns.read(direct.flip().position(5));
        check(columns.timeOfFlight().buffer().isDirect(), "direct");
        check(columns.timeOfFlight().get(9) == times[9], "direct values");
    }

    private static void appendsToAMessageInABuffer(
            LidarSensorViewReflectionColumns.Builder builder, byte[] message) {
        int number = LidarSensorViewReflectionColumns.LIDAR_SENSOR_VIEW_REFLECTION;
        byte[] expected = builder.appendTo(message, number);
        ByteBuffer out = ByteBuffer.allocate(7 + expected.length).position(7).put(message);
        builder.appendTo(out, 7, number);
        check(Arrays.equals(out.array(), 7, out.position(), expected, 0, expected.length), "in a buffer");
        try {
            builder.appendTo(ByteBuffer.allocate(expected.length - 1).put(message), 0, number);
            throw new AssertionError("too small a buffer");
        } catch (BufferOverflowException right) {
            return;
        }
    }

    private static void buildersAndRowsAgree(Reduction how) throws WireException {
        double[] strengths = new double[COUNT];
        double[] x = new double[COUNT];
        long[] ids = new long[COUNT];
        BitSet hasNormal = new BitSet();
        BitSet hasId = new BitSet();
        LidarSensorView.Reflection[] rows = new LidarSensorView.Reflection[COUNT];
        for (int i = 0; i < COUNT; i++) {
            rows[i] = new LidarSensorView.Reflection();
            strengths[i] = rows[i].signalStrength = -20 + 0.001 * i;
            rows[i].hasSignalStrength = true;
            x[i] = i / 100;
            if (i % 3 != 0) {
                hasNormal.set(i);
                rows[i].normalToSurface = new wire.osi3.Vector3d();
                rows[i].normalToSurface.x = x[i];
                rows[i].normalToSurface.hasX = true;
            }
            ids[i] = 5_000_000_000L + i / 7;
            if (i > 100) {
                hasId.set(i);
                rows[i].objectId = new wire.osi3.Identifier();
                rows[i].objectId.value = ids[i];
                rows[i].objectId.hasValue = true;
            }
        }
        var builder = LidarSensorViewReflectionColumns.builder(COUNT).reduce(how);
        builder.signalStrength(strengths);
        builder.normalToSurface().present(hasNormal).x(x);
        builder.objectId().present(hasId).value(ids);
        byte[] made = builder.toBytes();
        byte[] fromRows = LidarSensorViewReflectionColumns.fromRows(Arrays.asList(rows)).reduce(how).toBytes();
        check(Arrays.equals(made, fromRows), "bytes of " + how);
        var columns = LidarSensorViewReflectionColumns.read(made, 0, made.length);
        double[] read = columns.signalStrength().toArray();
        double[] readX = columns.normalToSurface().x().toArray();
        long[] readIds = columns.objectId().value().toArray();
        for (int i = 0; i < COUNT; i++) {
            check(Math.abs(read[i] - strengths[i]) <= how.error() + 1e-6, "strength of " + how);
            check(read[i] == columns.signalStrength().get(i), "get of " + how);
            check(columns.normalToSurface().has(i) == hasNormal.get(i), "presence of " + how);
            check(!columns.normalToSurface().hasAll() && !columns.normalToSurface().x().hasAll(), "not all");
            check(columns.normalToSurface().x().has(i) == hasNormal.get(i), "presence inside of " + how);
            check(!hasNormal.get(i) || Math.abs(readX[i] - x[i]) <= how.error(), "x of " + how);
            check(readX[i] == columns.normalToSurface().x().get(i), "get x of " + how);
            check(!hasId.get(i) || readIds[i] == ids[i], "id of " + how);
        }
        if (how.form() == Reduction.Form.EXACT || how.form() == Reduction.Form.AUTO) {
            check(Arrays.equals(columns.toRows(), rows), "rows of " + how);
        }
    }

    private static SampleColumns.Builder sample() {
        var builder = SampleColumns.builder(3);
        builder.aRequiredNumber(new int[] {1, -1, 3});
        builder.aRequiredPlace();
        return builder;
    }

    private static void everyTypeHasItsColumn() throws WireException {
        BitSet last = new BitSet();
        last.set(2);
        var builder = sample();
        builder.smallReal(new float[] {1, 2, 3});
        builder.anInt64(new long[] {-7, 1L << 60, 0}).reduce(Reduction.AUTO);
        builder.aBool(new boolean[] {true, false, true});
        builder.aColor(new int[] {-5, 0, 300}).present(last);
        builder.aNested(new int[] {3, 3, 4}).present(last);
        builder.aUint64(new long[] {9, 9, 8}).present(last);
        builder.place().x(new double[] {1, 2, 3});
        builder.aString(new String[] {"a", "", "\u20ac"});
        builder.aBytes(new byte[][] {null, null, {1, 2}}).present(last);
        builder.doubles(new double[] {1, 2, 3}, new int[] {0, 2, 2, 3});
        builder.strings(new String[] {"x", "yz"}, new int[] {0, 0, 2, 2}).reduce(Reduction.AUTO);
        var parts = builder.part(new int[] {0, 1, 1, 2});
        parts.weight(new int[] {4, 5});
        parts.corners(new int[] {0, 2, 2}).x(new double[] {6, 7});
        byte[] made = builder.toBytes();
        SampleColumns columns = SampleColumns.read(made, 0, made.length);
        check(columns.aRequiredNumber().get(1) == -1 && columns.aRequiredNumber().has(0), "required");
        check(columns.smallReal().buffer().get(2) == 3, "float");
        check(columns.anInt64().get(1) == 1L << 60 && columns.anInt64().get(0) == -7, "long");
        check(Arrays.equals(columns.aBool().toArray(), new boolean[] {true, false, true}), "boolean");
        check(columns.aColor().get(2) == 300 && !columns.aColor().has(0), "enum");
        check(columns.aNested().get(2) == 4 && columns.aNested().get(0) == 0, "enum of one byte");
        check(columns.aUint64().buffer().get(2) == 8 && columns.aUint64().buffer().get(1) == 0, "absent");
        check(columns.place().hasAll() && columns.place().x().hasAll(), "all have what is in all");
        check(columns.aString().hasAll() && !columns.aBytes().hasAll() && !columns.doubles().hasAll(), "has all");
        check(columns.doubles().isStored() && !columns.bools().isStored(), "is stored");
        check(columns.aString().get(2).equals("\u20ac") && columns.aString().length(1) == 0, "string");
        check(Arrays.equals(columns.aBytes().bytes(2), new byte[] {1, 2}), "bytes");
        check(columns.doubles().begin(2) == 2 && columns.doubles().end(2) == 3, "offsets");
        check(columns.doubles().size() == 3 && !columns.doubles().has(1), "repeated");
        check(columns.strings().get(1).equals("yz") && columns.strings().end(1) == 2, "repeated string");
        check(columns.part().size() == 2 && columns.part().corners().elements() == 2, "messages");
        check(columns.part().corners().x().get(1) == 7 && columns.part().corners().begin(1) == 2, "inside");
        Sample row = columns.toRows()[0];
        check(Arrays.equals(row.part[0].corners[1].toProtobuf(), sevenAlone()), "rows");
    }

    private static byte[] sevenAlone() {
        var place = new wire.conformance.columns2.Place();
        place.x = 7;
        place.hasX = true;
        return place.toProtobuf();
    }

    private static void whatDoesNotFitIsRefused() throws WireException {
        refused("values", b -> b.real(new double[2]));
        refused("required", b -> SampleColumns.builder(1).toBytes());
        refused("offsets", b -> b.doubles(new double[1], new int[] {0, 1, 0, 1}));
        refused("last offset", b -> b.doubles(new double[2], new int[] {0, 1, 1, 1}));
        refused("presence", b -> b.aRequiredNumber(new int[3]).present(new BitSet()));
        refused("absent text", b -> b.aString(new String[] {"a", "", ""}).present(BitSet.valueOf(new long[] {2})));
        refused("reduction", b -> b.aBool(new boolean[3]).reduce(Reduction.error(1)));
        refused("error", b -> Reduction.error(0));
        Sample unknown = Sample.fromProtobuf(ByteBuffer.wrap(HexFormat.of().parseHex("a00101c20100c03e05")));
        refused("unknown field", b -> SampleColumns.fromRows(List.of(unknown)));
        byte[] made = sample().toBytes();
        SampleColumns columns = SampleColumns.read(made, 0, made.length);
        try {
            columns.real().get(3);
            throw new AssertionError("index");
        } catch (IndexOutOfBoundsException expected) {
            check(expected.getMessage().contains("3"), "index");
        }
    }

    private static void refused(String what, Consumer<SampleColumns.Builder> wrong) {
        SampleColumns.Builder builder = sample();
        try {
            wrong.accept(builder);
            builder.toBytes();
        } catch (IllegalArgumentException expected) {
            return;
        }
        throw new AssertionError(what);
    }

    /** A constant of 2^26 elements is a view, but no rows. */
    private static void fewBytesDoNotTakeMuchMemory() throws WireException {
        byte[] few = HexFormat.of().parseHex("808080800e80808020898080800a000000000000e03f");
        var columns = LidarSensorViewReflectionColumns.read(few, 0, few.length);
        check(columns.signalStrength().get((1 << 26) - 1) == 0.5, "constant");
        try {
            columns.toRows();
            throw new AssertionError("memory");
        } catch (WireException expected) {
            check(expected.reason.contains("allowed"), expected.reason);
        }
        try {
            LidarSensorViewReflectionColumns.read(ByteBuffer.wrap(few), 1000);
            throw new AssertionError("most");
        } catch (WireException expected) {
            check(expected.reason.contains("allowed: 1000"), expected.reason);
        }
    }

    /** 64 MiB and 256 bytes for each of 21, in rows of 16 and 16 for each of nine fields: 419,464. */
    private static void rowsAreBoundedInProportion() throws WireException {
        for (String count : new String[] {"88cd19", "89cd19"}) {
            byte[] few = HexFormat.of().parseHex("808080800e" + count + "898080800a000000000000e03f");
            var columns = LidarSensorViewReflectionColumns.read(few, 0, few.length);
            boolean fits = true;
            try {
                check(columns.toRows().length == 419_464, "rows");
            } catch (WireException refused) {
                fits = false;
            }
            check(fits == count.equals("88cd19"), "bound of rows");
        }
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }
}
