package org.restheart.core.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// One member of `proxies`.
public record ProxyConfig(
        Optional<String> name,
        String location,
        List<String> targets,
        boolean rewriteHostHeader,
        int connectionsPerThread,
        Duration problemServerRetry,
        Optional<Duration> requestTimeout,
        Optional<HealthCheck> healthCheck,
        boolean forwardCredentials,
        List<String> forwardHeaders) {
    private static final Pattern HEADER = Pattern.compile("[!#$%&'+.^_`|~0-9A-Za-z-]+\\*?");

    /// How targets are probed.
    public record HealthCheck(String path, Duration interval) {}

    static List<ProxyConfig> read(List<Block> blocks) {
        return blocks.stream().map(ProxyConfig::read).toList();
    }

    private static ProxyConfig read(Block block) {
        var targets = block.texts("proxy-pass");
        if (targets.isEmpty()) {
            block.refuse("proxy-pass", "must be a URL or a list of URLs");
        }
        targets.forEach(target -> checkUrl(block, target));
        var timeout = block.duration("request-timeout");
        var interval = block.duration("health-check-interval");
        return new ProxyConfig(
                block.optionalText("name"),
                block.requiredUri("location"),
                targets,
                block.bool("rewrite-host-header"),
                block.integer("connections-per-thread"),
                block.duration("problem-server-retry"),
                timeout.isPositive() ? Optional.of(timeout) : Optional.empty(),
                block.has("health-check-path")
                        ? Optional.of(new HealthCheck(block.requiredUri("health-check-path"), interval))
                        : Optional.empty(),
                block.bool("forward-credentials"),
                headers(block));
    }

    private static List<String> headers(Block block) {
        var names = block.texts("forward-headers");
        for (var name : names) {
            if (!HEADER.matcher(name).matches()) {
                block.refuse(
                        "forward-headers",
                        "must be names of header fields, which may end with *, but one is \"" + name + "\"");
            }
        }
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }

    private static void checkUrl(Block block, String target) {
        try {
            var url = new URI(target);
            boolean usable = ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getRawUserInfo() == null
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null;
            if (!usable) {
                block.refuse(
                        "proxy-pass", "must be http://host[:port][/path], or https, but was " + Secrets.inUri(target));
            }
        } catch (URISyntaxException e) {
            block.refuse("proxy-pass", "has an entry that is no URL: " + Secrets.inUri(String.valueOf(e.getMessage())));
        }
    }
}
