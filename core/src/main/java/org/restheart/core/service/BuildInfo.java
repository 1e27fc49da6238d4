package org.restheart.core.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/// The version of this build.
///
/// @param time ISO 8601, UTC
public record BuildInfo(String version, String time) {
    public static BuildInfo load() {
        try (var in = BuildInfo.class.getResourceAsStream("/org/restheart/core/build.properties")) {
            if (in == null) {
                throw new IllegalStateException("build.properties is missing from the jar");
            }
            var properties = new Properties();
            properties.load(in);
            return new BuildInfo(
                    properties.getProperty("version", "unknown"), properties.getProperty("time", "unknown"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read build.properties", e);
        }
    }
}
