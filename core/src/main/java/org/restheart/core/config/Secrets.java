package org.restheart.core.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.restheart.text.Words;

/// Masks secrets in printed values: the values of keys that [Keys] has as secrets, or that are named like one and not
/// there, passwords in URIs, and both in JSON text. Reads those that have a file of their own.
public final class Secrets {
    public static final String MASK = "**********";

    private static final String WORDS = "password|pwd|secret|token|pepper";
    private static final Pattern KEY_NAME = Pattern.compile("(?i)" + WORDS + "|key");

    /// Not `key` alone, nor `keys`: an index has those.
    private static final Pattern FIELD_NAME =
            Pattern.compile("(?i)" + WORDS + "|passw|passphrase|credential|authorization|[a-z0-9_-]key");

    private static final Pattern IN_AUTHORITY =
            Pattern.compile("(?i)(\\b[a-z][a-z0-9+.-]*://[^:/\\s\"']*:)([^\\s\"']*)@");
    private static final Pattern IN_QUERY =
            Pattern.compile("(?i)([?&;][^=&\\s]*(?:" + WORDS + "|key)[^=&\\s]*=)[^&\\s\"']*");
    private static final Pattern AWS_TOKEN = Pattern.compile("(?i)(AWS_SESSION_TOKEN:)[^,&\\s\"']*");
    private static final Pattern IN_JSON = Pattern.compile("(?i)((?:\"[^\"]*|'[^']*|\\b\\w*)(?:" + WORDS
            + "|key)[^\"':\\s]*[\"']?\\s*:\\s*)" + "(\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|-?\\d[\\d.eE+-]*)");

    private static final int SHORTEST = 32;

    /// What examples and templates have in place of a secret, in small letters without separators.
    private static final List<String> PLACEHOLDERS = Words.list("""
        replace changeme changeit changethis placeholder yoursecret yourkey yourtoken yourown yourjwt yoursigning
        your256bit your512bit putyour insertyour enteryour astringsecretatleast astringsecretthatisatleast
        validstringsecret secretof32 32randombytes randombytes32 32bytesormore secretsecret passwordpassword
        thisisasecret thisisakey shouldbechanged opensslrand\
        """);

    /// A variable or a gap of a template that nothing has filled.
    private static final Pattern UNFILLED =
            Pattern.compile(".*\\$\\{.*}.*|.*\\$\\(.*\\).*|.*\\{\\{.*}}.*|<.*>|%.*%", Pattern.DOTALL);

    /// `secretsecretsecret`, or one letter.
    private static final Pattern REPEATED = Pattern.compile("(.{1,12}?)\\1{2,}.{0,11}", Pattern.DOTALL);

    private static final int MAX_FILE = 64 << 10;

    private Secrets() {}

    /// The content of a file that holds a secret, without blanks at its end; empty if it has more than 64 KiB.
    ///
    /// @throws IOException if it cannot be read
    public static Optional<String> ofFile(Path file) throws IOException {
        try (var content = Files.newInputStream(file)) {
            var bytes = content.readNBytes(MAX_FILE + 1);
            return bytes.length > MAX_FILE
                    ? Optional.empty()
                    : Optional.of(new String(bytes, StandardCharsets.UTF_8).stripTrailing());
        }
    }

    /// Why a secret can be guessed, if so; without the secret itself.
    static Optional<String> weakness(String secret) {
        if (secret.getBytes(StandardCharsets.UTF_8).length < SHORTEST) {
            return Optional.of("has fewer than " + SHORTEST + " bytes, which can be guessed; openssl rand -base64 32"
                    + " makes one that cannot");
        }
        return isPlaceholder(secret) || REPEATED.matcher(secret).matches()
                ? Optional.of("is a placeholder, which anybody knows; openssl rand -base64 32 makes a secret")
                : Optional.empty();
    }

    static boolean isPlaceholder(String secret) {
        var letters = secret.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        return UNFILLED.matcher(secret.strip()).matches()
                || PLACEHOLDERS.stream().anyMatch(letters::contains);
    }

    /// The URI with the password replaced, and with parameters named like secrets replaced.
    public static String inUri(String uri) {
        var masked = IN_AUTHORITY.matcher(uri).replaceAll("$1" + MASK + "@");
        masked = IN_QUERY.matcher(masked).replaceAll("$1" + MASK);
        return AWS_TOKEN.matcher(masked).replaceAll("$1" + MASK);
    }

    static boolean isSecret(String key) {
        return Keys.isSecret(key).orElse(KEY_NAME.matcher(key).find());
    }

    /// Whether a field of a document is named like a secret.
    public static boolean isNamedSecret(String field) {
        return FIELD_NAME.matcher(field).find();
    }

    /// Whether a step of a value's path marks the value as secret. The blocks of components that have `token` or
    /// `apiKey` in their names are excluded.
    private static boolean isSecretStep(String step, boolean block) {
        var name = step.toLowerCase(Locale.ROOT);
        boolean component = block && (name.contains("token") || name.startsWith("apikey"));
        return isSecret(step) && !component;
    }

    /// The value as it may be shown.
    ///
    /// @param path as in `/https-listener/keystore-password`
    static @Nullable Object mask(String path, @Nullable Object value) {
        boolean secret = false;
        boolean block = true;
        for (var step : path.split("/", -1)) {
            if (!step.isEmpty()) {
                secret |= isSecretStep(step.replaceFirst("\\[.*", ""), block);
                block = false;
            }
        }
        return mask(value, secret, block);
    }

    /// The whole configuration as it may be shown.
    static Map<String, @Nullable Object> mask(Map<String, @Nullable Object> tree) {
        return maskMembers(tree, false, true);
    }

    private static @Nullable Object mask(@Nullable Object value, boolean secret, boolean block) {
        return switch (value) {
            case null -> null;
            case Map<?, ?> map -> maskMembers(map, secret, block);
            case List<?> list -> {
                var masked = new ArrayList<@Nullable Object>(list.size());
                list.forEach(member -> masked.add(mask(member, secret, false)));
                yield masked;
            }
            case Boolean flag -> flag;
            case String text when !secret -> inText(text);
            case Object other -> secret ? MASK : other;
        };
    }

    private static Map<String, @Nullable Object> maskMembers(Map<?, ?> map, boolean secret, boolean block) {
        var masked = new LinkedHashMap<String, @Nullable Object>();
        map.forEach((key, value) -> {
            var name = String.valueOf(key);
            masked.put(name, mask(value, secret || isSecretStep(name, block), false));
        });
        return masked;
    }

    private static String inText(String text) {
        return inUri(IN_JSON.matcher(text).replaceAll("$1\"" + MASK + "\""));
    }
}
