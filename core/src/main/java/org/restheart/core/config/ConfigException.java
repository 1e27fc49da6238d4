package org.restheart.core.config;

import java.util.List;

/// The configuration is invalid. Carries all errors, so that one start reports them all; no stack trace, since the
/// reader is an operator.
public final class ConfigException extends RuntimeException {
    private final transient List<Finding> findings;

    public ConfigException(List<Finding> findings) {
        super(String.join("\n", findings.stream().map(Finding::toString).toList()), null, false, false);
        this.findings = List.copyOf(findings);
    }

    public static ConfigException of(String text) {
        return new ConfigException(List.of(new Finding(Finding.Level.REFUSED, "", text)));
    }

    public List<Finding> findings() {
        return findings;
    }
}
