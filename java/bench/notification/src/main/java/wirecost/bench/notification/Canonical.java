// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Notifications as lines of text, by which all languages send and compare the same ones. What is
 * absent stands there as its default.
 */
public final class Canonical {
    private static final HexFormat HEX = HexFormat.of();

    private Canonical() {}

    public static NotificationValue parse(String line) {
        String[] parts = line.split(" ");
        return new NotificationValue(
                id(parts[0]),
                HEX.parseHex(parts[1]),
                HEX.parseHex(parts[2]),
                HEX.parseHex(parts[3]),
                parts[4].isEmpty() ? null : HEX.parseHex(parts[4]),
                items(parts[5], Canonical::id),
                Long.parseLong(parts[6]),
                Long.parseLong(parts[7]),
                time(parts[8]),
                time(parts[9]),
                items(parts[10], Canonical::userTime),
                items(parts[11], Canonical::userInfo));
    }

    public static String line(NotificationValue value) {
        StringBuilder text = new StringBuilder(id(value.eventId()));
        for (byte[] bytes : List.of(value.scope(), value.wireSchema(), value.data())) {
            text.append(' ').append(HEX.formatHex(bytes));
        }
        text.append(' ').append(value.method() == null ? "" : HEX.formatHex(value.method()));
        text.append(' ').append(list(value.causes(), Canonical::id));
        text.append(' ').append(value.createTime()).append(' ').append(value.sendTime());
        text.append(' ').append(value.receiveTime().orElse(0));
        text.append(' ').append(value.deliverTime().orElse(0));
        text.append(' ').append(list(value.userTimes(), Canonical::userTime));
        text.append(' ').append(list(value.userInfos(), Canonical::userInfo));
        return text.toString();
    }

    private static OptionalLong time(String text) {
        long time = Long.parseLong(text);
        return time == 0 ? OptionalLong.empty() : OptionalLong.of(time);
    }

    private static <T> List<T> items(String text, Function<String, T> parser) {
        List<T> found = new ArrayList<>();
        for (String item : text.substring(1, text.length() - 1).split(",")) {
            if (!item.isEmpty()) {
                found.add(parser.apply(item));
            }
        }
        return found;
    }

    private static <T> String list(List<T> values, Function<T, String> printer) {
        StringBuilder text = new StringBuilder("[");
        for (T value : values) {
            text.append(printer.apply(value)).append(',');
        }
        return text.append(']').toString();
    }

    private static NotificationValue.EventId id(String text) {
        int colon = text.indexOf(':');
        int number = Integer.parseUnsignedInt(text.substring(colon + 1));
        return new NotificationValue.EventId(HEX.parseHex(text.substring(0, colon)), number);
    }

    private static String id(NotificationValue.EventId value) {
        return HEX.formatHex(value.senderId()) + ":"
                + Integer.toUnsignedString(value.sequenceNumber());
    }

    private static NotificationValue.UserTime userTime(String text) {
        int colon = text.indexOf(':');
        long time = Long.parseUnsignedLong(text.substring(colon + 1));
        return new NotificationValue.UserTime(HEX.parseHex(text.substring(0, colon)), time);
    }

    private static String userTime(NotificationValue.UserTime value) {
        return HEX.formatHex(value.key()) + ":" + Long.toUnsignedString(value.timestamp());
    }

    private static NotificationValue.UserInfo userInfo(String text) {
        int colon = text.indexOf(':');
        return new NotificationValue.UserInfo(
                HEX.parseHex(text.substring(0, colon)), HEX.parseHex(text.substring(colon + 1)));
    }

    private static String userInfo(NotificationValue.UserInfo value) {
        return HEX.formatHex(value.key()) + ":" + HEX.formatHex(value.value());
    }
}
