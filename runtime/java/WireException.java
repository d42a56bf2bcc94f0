// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

/** Input that is no message of the expected type: where, counted from its begin, and why. */
public final class WireException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Bytes from the begin of the input to where it is at fault. */
    public final int position;

    public final String reason;

    public WireException(int position, String reason) {
        super("byte " + position + ": " + reason);
        this.position = position;
        this.reason = reason;
    }
}
