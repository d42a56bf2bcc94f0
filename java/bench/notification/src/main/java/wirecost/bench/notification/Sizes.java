// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

/** Prints {@code contender content factor bytes}, the mean size of a message, for each argument. */
public final class Sizes {
    private static final String[] CONTENDERS = {
        "protobuf-java", "wirecost-protobuf", "wirecost-ros1", "wirecost-cdr", "hand-written"
    };
    private static final int COUNT = 64;
    private static final long SEED = 997;

    private Sizes() {}

    /** {@code arguments}: contents, then factors: {@code ticket realistic 4 8}. */
    public static void main(String[] arguments) {
        for (String name : CONTENDERS) {
            for (String content : arguments) {
                for (String factor : arguments) {
                    if (!Character.isDigit(content.charAt(0)) && Character.isDigit(factor.charAt(0))) {
                        double mean = mean(Contender.named(name), content, Integer.parseInt(factor));
                        System.out.println(name + " " + content + " " + factor + " " + mean);
                    }
                }
            }
        }
    }

    private static <M> double mean(Contender<M> codec, String content, int factor) {
        return Content.make(content, factor, COUNT, SEED).stream()
                .mapToInt(value -> codec.size(codec.fill(value, null)))
                .average()
                .orElseThrow();
    }
}
