package org.restheart.perftest.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// The folder of one commit's results: `<date>-<commit>` under the given root. Earlier results are never overwritten.
public final class Results {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path root;

    public Results(Path root) {
        this.root = root;
    }

    /// Writes JSON and Markdown.
    ///
    /// @return the Markdown file
    public Path write(Report report) throws IOException {
        var folder = root.resolve(report.startedAt().substring(0, 10) + "-" + report.commit());
        Files.createDirectories(folder);
        var name = unused(folder, report.experiment());
        Files.writeString(folder.resolve(name + ".json"), JSON.writeValueAsString(report) + "\n");
        return Files.writeString(folder.resolve(name + ".md"), Markdown.of(report));
    }

    private static String unused(Path folder, String experiment) {
        var name = experiment;
        for (var i = 2; Files.exists(folder.resolve(name + ".json")); i++) {
            name = experiment + "-" + i;
        }
        return name;
    }
}
