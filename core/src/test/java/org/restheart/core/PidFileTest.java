package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PidFileTest {
    private static final String OWN = String.valueOf(ProcessHandle.current().pid());

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("restheart-0.pid");
    }

    @Test
    void holds_the_process_id_until_it_is_closed() {
        try (var _ = PidFile.write(folder, Optional.empty())) {
            assertThat(file()).content().isEqualTo(OWN + "\n");
        }
        assertThat(file()).doesNotExist();
    }

    @Test
    void is_another_one_for_another_configuration() {
        try (var _ = PidFile.write(folder, Optional.of(Path.of("a.yml")));
                var _ = PidFile.write(folder, Optional.of(Path.of("b.yml")));
                var _ = PidFile.write(folder, Optional.of(Path.of("./b.yml")))) {
            assertThat(folder.toFile().list()).hasSize(2).doesNotContain("restheart-0.pid");
        }
    }

    @Test
    void of_another_living_process_is_left_alone() throws IOException {
        Files.writeString(file(), "1\n");
        PidFile.write(folder, Optional.empty()).close();
        assertThat(file()).content().isEqualTo("1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483646", "", "nonsense"})
    void that_a_crash_has_left_is_replaced(String content) throws IOException {
        Files.writeString(file(), content);
        try (var _ = PidFile.write(folder, Optional.empty())) {
            assertThat(file()).content().isEqualTo(OWN + "\n");
        }
    }

    @Test
    void does_not_follow_a_link() throws IOException {
        var target = Files.writeString(folder.resolve("precious"), "x");
        Files.createSymbolicLink(file(), target);
        try (var _ = PidFile.write(folder, Optional.empty())) {
            assertThat(target).content().isEqualTo("x");
        }
    }

    @Test
    void that_cannot_be_written_does_no_harm() {
        PidFile.write(folder.resolve("none"), Optional.empty()).close();
        assertThat(folder.resolve("none")).doesNotExist();
    }
}
