// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;

/** Generates notifications; the same seed gives the same ones. */
public final class Content {
    private static final int ID_BYTES = 16;
    private static final long EPOCH = 1_339_762_980_000_000L; // 2012-06-15, in microseconds

    private final Random random;

    private Content(long seed) {
        random = new Random(seed);
    }

    /** {@code kind}: ticket or realistic. */
    public static List<NotificationValue> make(String kind, int factor, int count, long seed) {
        Content content = new Content(seed);
        List<NotificationValue> made = new ArrayList<>();
        long now = EPOCH;
        for (int i = 0; i < count; i++) {
            now += content.between(900, 1100);
            made.add(
                    switch (kind) {
                        case "ticket" -> content.ticket(factor);
                        case "realistic" -> content.realistic(factor, now);
                        default -> throw new IllegalArgumentException(kind);
                    });
        }
        return made;
    }

    /** Seven byte strings of length {@code factor}, three small numbers, nothing else. */
    private NotificationValue ticket(int factor) {
        return new NotificationValue(
                new NotificationValue.EventId(letters(factor), between(1, 127)),
                letters(factor),
                letters(factor),
                letters(factor),
                letters(factor),
                List.of(),
                between(1, 127),
                between(1, 127),
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of(),
                List.of(new NotificationValue.UserInfo(letters(factor), letters(factor))));
    }

    /**
     * What a running system sends: epoch times, 16-byte ids, some causes, user times and infos of
     * varied lengths; {@code factor} is the mean length of the data and of the infos' values.
     */
    private NotificationValue realistic(int factor, long now) {
        long send = now + between(10, 200);
        boolean received = random.nextBoolean();
        long receive = send + between(20, 500);
        String scope = "/" + text(between(4, 12)) + "/" + text(between(4, 20)) + "/";
        return new NotificationValue(
                id(),
                scope.getBytes(StandardCharsets.UTF_8),
                ("." + text(between(4, 24))).getBytes(StandardCharsets.UTF_8),
                bytes(between(0, 2 * factor)),
                random.nextBoolean() ? letters(between(4, 8)) : null,
                some(3, this::id),
                now,
                send,
                received ? OptionalLong.of(receive) : OptionalLong.empty(),
                received ? OptionalLong.of(receive + between(5, 50)) : OptionalLong.empty(),
                some(2, () -> new NotificationValue.UserTime(letters(between(3, 12)), now)),
                some(3, () -> info(factor)));
    }

    private NotificationValue.EventId id() {
        return new NotificationValue.EventId(bytes(ID_BYTES), between(0, 1_000_000));
    }

    private NotificationValue.UserInfo info(int factor) {
        return new NotificationValue.UserInfo(
                letters(between(3, 12)), letters(between(0, 2 * factor)));
    }

    private <T> List<T> some(int most, Supplier<T> maker) {
        List<T> made = new ArrayList<>();
        for (int i = between(0, most); i > 0; i--) {
            made.add(maker.get());
        }
        return made;
    }

    private int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private byte[] bytes(int size) {
        byte[] made = new byte[size];
        random.nextBytes(made);
        return made;
    }

    private byte[] letters(int size) {
        byte[] made = new byte[size];
        for (int i = 0; i < size; i++) {
            made[i] = (byte) ('a' + random.nextInt(26));
        }
        return made;
    }

    private String text(int size) {
        return new String(letters(size), StandardCharsets.UTF_8);
    }
}
