// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

/** Checks what a walk over a message in columns found, and completes it. */
final class ColumnCheck {
    private static final double LARGEST_BASE = 0x1p53;

    private final ColumnCursor in;
    private final ColumnData[] all;
    private final int most;

    /** {@code most}: the largest count that is taken. */
    ColumnCheck(ColumnCursor in, ColumnData[] all, int most) {
        this.in = in;
        this.all = all;
        this.most = most;
    }

    /** The fields of {@code elements} messages; {@code around}: which of them are there, null: all. */
    void fields(ColumnNode message, int elements, ColumnData around) throws WireException {
        for (ColumnNode node : message.children) {
            ColumnData data = all[node.index];
            data.elements = elements;
            data.around = around;
            data.size = elements;
            if (node.repeated) {
                data.size = data.offsets == null ? 0 : offsets(data, elements, most);
            }
            presence(data);
            if (node.type == ColumnType.MESSAGE) {
                message(data);
            } else if (node.type == ColumnType.TEXT) {
                text(data);
            } else {
                scalar(data);
            }
        }
    }

    private void presence(ColumnData data) throws WireException {
        if (data.presence == null) {
            return;
        }
        long expected = (data.elements + 7L) / 8;
        if (data.presence.length != expected) {
            throw error(data, data.presence.length + " bytes of presence, expected: " + expected);
        }
        data.presence.join();
        boolean texts = data.node.type == ColumnType.TEXT && data.offsets != null;
        if (data.column == null && !data.constant && !data.message && !texts) {
            throw error(data, "presence of nothing");
        }
    }

    private void message(ColumnData data) throws WireException {
        if (data.node.repeated && data.message && data.offsets == null) {
            throw error(data, "no offsets");
        }
        if (data.node.repeated && !data.message && data.size > 0) {
            throw error(data, "offsets of nothing");
        }
        boolean always = data.node.repeated || data.around == null && data.presence == null && data.message;
        fields(data.node, data.size, always ? null : data);
    }

    private void text(ColumnData data) throws WireException {
        if (data.constant) {
            if (data.offsets != null || data.column != null) {
                throw error(data, "a constant beside a column or offsets");
            }
        } else if (data.offsets != null) {
            int bytes = offsets(data, data.elements, Integer.MAX_VALUE);
            int stored = data.column == null ? 0 : data.column.length;
            if (bytes != stored) {
                throw error(data, stored + " bytes of texts, expected: " + bytes);
            }
        } else if (data.column != null) {
            throw error(data, "texts without offsets");
        }
        if (data.column != null) {
            data.column.join();
        }
    }

    /** Checks and joins {@code elements + 1} offsets; returns the last one. */
    private int offsets(ColumnData data, int elements, int largest) throws WireException {
        ColumnPayload offsets = data.offsets;
        if (offsets.length != 4L * (elements + 1L) || !offsets.isWhole(4)) {
            throw error(data, offsets.length + " bytes of " + (elements + 1L) + " offsets");
        }
        offsets.join();
        int last = offsets.u32(0);
        if (last != 0) {
            throw error(data, "offsets that do not begin with 0");
        }
        for (int i = 1; i <= elements; i++) {
            int next = offsets.u32(i);
            if (next < last) {
                throw error(data, "offsets that decrease or are too large");
            }
            last = next;
        }
        if (last > largest) {
            throw error(data, last + " values, allowed: " + largest);
        }
        return last;
    }

    private void scalar(ColumnData data) throws WireException {
        boolean scaled = data.hasScale || data.hasBase;
        boolean hasRuns = data.offsets != null && !data.node.repeated;
        if (data.column == null) {
            if (scaled || hasRuns) {
                throw error(data, "scale, base or runs without a column");
            }
            if (!data.constant && data.size > 0 && data.node.repeated) {
                throw error(data, "offsets of nothing");
            }
            return;
        }
        if (data.constant) {
            throw error(data, "a constant beside a column");
        }
        if (data.node.repeated && data.offsets == null) {
            throw error(data, "no offsets");
        }
        if (hasRuns) {
            runs(data);
        }
        width(data, hasRuns ? data.runs : data.size, scaled);
        data.column.join();
        if (scaled) {
            scaled(data);
        }
    }

    private void runs(ColumnData data) throws WireException {
        ColumnPayload starts = data.offsets;
        if (starts.length == 0 || starts.length % 4 != 0 || !starts.isWhole(4)) {
            throw error(data, starts.length + " bytes of starts of runs");
        }
        starts.join();
        data.runs = starts.length / 4 - 1;
        int last = starts.u32(0);
        boolean grows = last == 0;
        for (int r = 1; r <= data.runs && grows; r++) {
            grows = starts.u32(r) > last;
            last = starts.u32(r);
        }
        if (!grows || last != data.elements) {
            throw error(data, "runs that do not lead from 0 to " + data.elements);
        }
    }

    private void width(ColumnData data, int stored, boolean scaled) throws WireException {
        int length = data.column.length;
        int width = stored > 0 ? length / stored : scaled ? 1 : data.node.type.width;
        boolean named = scaled ? width >= 1 && width <= 4 : data.node.type.allows(width);
        if (length != (long) width * stored || !named) {
            throw error(data, length + " bytes of " + stored + " values");
        }
        if (scaled ? !data.column.isOne() : !data.column.isWhole(width)) {
            throw error(data, "pieces of no whole number of values");
        }
        data.width = width;
    }

    private void scaled(ColumnData data) throws WireException {
        if (!data.hasScale || !data.hasBase) {
            throw error(data, "scale without base, or base without scale");
        }
        double scale = data.scale;
        double base = data.base;
        if (!Double.isFinite(scale) || !Double.isFinite(base)) {
            throw error(data, "a scale or base that is not finite");
        }
        boolean whole = data.node.type.isInteger();
        if (whole && (scale != 1 || base != Math.rint(base) || Math.abs(base) > LARGEST_BASE)) {
            throw error(data, "integers whose scale is not 1 or whose base is no whole number up to 2^53");
        }
    }

    private WireException error(ColumnData data, String reason) {
        int at = data.position < 0 ? in.p : data.position;
        return in.error(at, data.node.name + ": " + reason);
    }
}
