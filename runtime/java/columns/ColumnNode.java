// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.util.Arrays;

/** A field of a message in columns, or the message itself: what reading and writing it needs. */
public final class ColumnNode {
    /** The element has the field or not, which differs from its default. */
    public static final int OPTIONAL = 1;

    /** Not written where it has its default. */
    public static final int IMPLICIT = 2;

    public static final int REPEATED = 4;

    /** In rows a zigzag varint. */
    public static final int ZIGZAG = 8;

    /** In rows four or eight bytes. */
    public static final int FIXED = 16;

    /** In rows between a group's tags. */
    public static final int GROUP = 32;

    /** A repeated text: its only child stands for the texts. */
    public static final int WRAPS = 64;

    /** Where it is in the order of the schema, depth first; the message itself is 0. */
    int index;

    /** Dotted, from the message on. */
    String name;

    final int number;
    final ColumnType type;
    final boolean optional;
    final boolean implicit;
    final boolean repeated;
    final boolean wraps;

    /** Fields of a message by number. */
    final ColumnNode[] children;

    /** Of a fixed array: values, also in its messages, that every row has. */
    long fixed;

    private final int flags;
    private final int[] numbers;

    /** What stands for an implicit field that is not in a row; a text's bytes. */
    long byDefault;

    byte[] textByDefault = Wire.NO_BYTES;
    Reduction reduction = Reduction.EXACT;

    private ColumnNode(
            String name, int number, ColumnType type, int flags, ColumnNode[] children) {
        this.name = name;
        this.number = number;
        this.type = type;
        this.flags = flags;
        this.children = children;
        optional = has(OPTIONAL);
        implicit = has(IMPLICIT);
        repeated = has(REPEATED);
        wraps = has(WRAPS);
        numbers = new int[children.length];
        Arrays.setAll(numbers, i -> children[i].number);
    }

    /** A field that is no message. */
    public static ColumnNode scalar(String name, int number, ColumnType type, int flags) {
        return new ColumnNode(name, number, type, flags, new ColumnNode[0]);
    }

    /** A field that holds messages; its fields are in the order of their numbers. */
    public static ColumnNode message(String name, int number, int flags, ColumnNode... children) {
        return new ColumnNode(name, number, ColumnType.MESSAGE, flags, children);
    }

    /** A message type whose lists have columns. */
    public static ColumnNode root(String name, ColumnNode... children) {
        ColumnNode root = message(name, 0, REPEATED, children);
        root.place(0, "");
        return root;
    }

    /** What its writer does to it unless another form is given. */
    public ColumnNode reduced(Reduction how) {
        reduction = how;
        return this;
    }

    /** What rows have of a fixed array even where columns give none. */
    public ColumnNode fixed(long values) {
        fixed = values;
        return this;
    }

    /** The bits of a declared default other than zero. */
    public ColumnNode byDefault(long bits) {
        byDefault = bits;
        return this;
    }

    public ColumnNode byDefault(byte[] text) {
        textByDefault = text;
        return this;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** The field of a message with that number; null: none. */
    ColumnNode child(int wanted) {
        int at = Arrays.binarySearch(numbers, wanted);
        return at < 0 ? null : children[at];
    }

    /** How many nodes there are from this one down. */
    int count() {
        int count = 1;
        for (ColumnNode child : children) {
            count += child.count();
        }
        return count;
    }

    /** The wire type of one value in rows. */
    int wireType() {
        if (type == ColumnType.TEXT || type == ColumnType.MESSAGE) {
            return has(GROUP) ? ProtobufInput.GROUP : ProtobufInput.LENGTH;
        }
        if (has(FIXED)) {
            return type.width == 8 ? ProtobufInput.FIXED64 : ProtobufInput.FIXED32;
        }
        return ProtobufInput.VARINT;
    }

    private int place(int at, String before) {
        index = at++;
        for (ColumnNode child : children) {
            String path = before + child.name;
            at = child.place(at, path + ".");
            child.name = path;
        }
        return at;
    }
}
