package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LauncherTest {
    private static final int JAVA_8 = 52;

    @Test
    void versions_are_read_as_every_java_writes_them() {
        assertThat(Launcher.major("1.8")).isEqualTo(8);
        assertThat(Launcher.major("17")).isEqualTo(17);
        assertThat(Launcher.major("25")).isEqualTo(25);
    }

    @Test
    void an_older_java_is_told_what_is_needed() {
        assertThat(Launcher.refusal("17.0.15", "/usr/lib/jvm/java-17"))
                .contains(
                        "needs Java 25 or newer",
                        "This is Java 17.0.15 in /usr/lib/jvm/java-17",
                        "https://adoptium.net");
    }

    @Test
    void an_older_java_can_load_the_class() throws Exception {
        try (var bytes =
                new DataInputStream(Objects.requireNonNull(Launcher.class.getResourceAsStream("Launcher.class")))) {
            bytes.readInt(); // the magic number
            bytes.readUnsignedShort(); // the minor version
            assertThat(bytes.readUnsignedShort()).isEqualTo(JAVA_8);
        }
    }
}
