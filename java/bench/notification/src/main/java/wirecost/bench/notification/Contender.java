// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

/**
 * Carries a notification in objects {@code M}. Where an object is given to fill or to decode
 * into it is used again if the contender can; null asks for a new one. What a message holds is set
 * as Java does it: byte arrays by reference where the contender's messages hold such.
 */
public interface Contender<M> {
    M fill(NotificationValue value, M used);

    int size(M message);

    /** Writes from the begin of {@code out}; returns how many bytes. */
    int encode(M message, byte[] out) throws Exception;

    M decode(byte[] in, int size, M used) throws Exception;

    /** Visits every field; absent ones count nothing. */
    void readAll(M message, Sink sink);

    /** What a message holds, to be compared. */
    NotificationValue value(M message);
}
