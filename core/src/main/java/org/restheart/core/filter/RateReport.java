package org.restheart.core.filter;

import java.util.Map;

/// Requests that one gateway admitted in a while, for the others to count too. Immutable.
///
/// @param byAddress requests by address
/// @param byAccount requests by account
public record RateReport(Map<String, Long> byAddress, Map<String, Long> byAccount) {
    public RateReport {
        byAddress = Map.copyOf(byAddress);
        byAccount = Map.copyOf(byAccount);
    }

    public boolean isEmpty() {
        return byAddress.isEmpty() && byAccount.isEmpty();
    }
}
