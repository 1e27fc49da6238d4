package org.restheart.http;

import java.net.InetAddress;

/// The addresses that begin with the same bits. Immutable.
public record Network(InetAddress address, int bits) {
    /// An address, or a network in CIDR notation: `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`.
    ///
    /// @throws IllegalArgumentException if the text is neither; names are not looked up
    public static Network parse(String text) {
        var parts = text.split("/", 2);
        var address = InetAddress.ofLiteral(parts[0]);
        int all = address.getAddress().length * Byte.SIZE;
        int bits = parts.length == 1 ? all : Integer.parseInt(parts[1]);
        if (bits < 0 || bits > all) {
            throw new IllegalArgumentException(text + " has no prefix of 0 to " + all + " bits");
        }
        return new Network(address, bits);
    }

    public boolean contains(InetAddress other) {
        var own = address.getAddress();
        var bytes = other.getAddress();
        if (own.length != bytes.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            int mask = 0x80 >> i % Byte.SIZE;
            if (((own[i / Byte.SIZE] ^ bytes[i / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
