package org.restheart.security.apikey;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/// A range of IP addresses in CIDR notation (RFC 4632, 3.1).
final class AddressRange {
    /// Names are never looked up: letters are part of an address only beside a colon. Four numbers, since shorter
    /// forms are read differently by different programs.
    private static final Pattern LITERAL = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|(?=.*:)[0-9a-fA-F:.]{2,45}");

    private final byte[] network;
    private final int bits;

    private AddressRange(byte[] network, int bits) {
        this.network = network;
        this.bits = bits;
    }

    static Optional<AddressRange> parse(String text) {
        int slash = text.indexOf('/');
        var address = address(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            return Optional.empty();
        }
        int longest = address.get().length * 8;
        try {
            int bits = slash < 0 ? longest : Integer.parseInt(text.substring(slash + 1));
            return bits < 0 || bits > longest ? Optional.empty() : Optional.of(new AddressRange(address.get(), bits));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static Optional<byte[]> address(String literal) {
        try {
            return LITERAL.matcher(literal).matches()
                    ? Optional.of(InetAddress.ofLiteral(literal).getAddress())
                    : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    boolean contains(String peer) {
        var address = address(peer);
        if (address.isEmpty() || address.get().length != network.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            int mask = 0x80 >> (i % 8);
            if ((network[i / 8] & mask) != (address.get()[i / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
