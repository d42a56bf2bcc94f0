// SPDX-License-Identifier: Apache-2.0
package wirecost.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Time without what the thread that made it waited for a processor, which the kernel counts. A
 * thread's own processor time would lack the collector's, which runs in another.
 */
final class Stopwatch {
    private final FileChannel file;
    private final ByteBuffer text = ByteBuffer.allocateDirect(128);
    private long before;
    private long waited;
    private long begin;

    Stopwatch() {
        FileChannel opened;
        try {
            opened = FileChannel.open(Path.of("/proc/thread-self/schedstat"));
        } catch (IOException none) { // no kernel that counts
            opened = null;
        }
        file = opened;
    }

    void start() {
        before = System.nanoTime();
        waited = waitedNs();
        begin = System.nanoTime();
    }

    /** It may have waited while it read how long it had: only the rest was surely the action's. */
    long nanoseconds() {
        long end = System.nanoTime();
        long more = waitedNs() - waited;
        long around = begin - before + System.nanoTime() - end;
        return Math.max(0, end - begin - Math.max(0, more - around));
    }

    /** The second of the file's numbers; 0 where nobody counts. */
    private long waitedNs() {
        if (file == null) {
            return 0;
        }
        text.clear();
        try {
            file.read(text, 0);
        } catch (IOException none) {
            return 0;
        }
        text.flip();
        long number = 0;
        boolean isSecond = false;
        while (text.hasRemaining()) {
            byte next = text.get();
            if (next >= '0' && next <= '9') {
                number = isSecond ? 10 * number + next - '0' : 0;
            } else if (isSecond) {
                return number;
            } else {
                isSecond = true;
            }
        }
        return number;
    }
}
