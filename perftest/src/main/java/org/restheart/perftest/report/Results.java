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

    /// Writes JSON, Markdown and plots.
    ///
    /// @return the Markdown file
    public Path write(Report report) throws IOException {
        var folder = root.resolve(report.startedAt().substring(0, 10) + "-" + report.commit());
        Files.createDirectories(folder);
        var name = unused(folder, report.experiment());
        Files.writeString(folder.resolve(name + ".json"), JSON.writeValueAsString(report) + "\n");
        return render(report, folder, name);
    }

    /// Writes Markdown and plots anew from a JSON file.
    public static Path render(Path json) throws IOException {
        var report = JSON.readValue(Files.readString(json), Report.class);
        var name = json.getFileName().toString().replaceAll("\\.json$", "");
        return render(report, json.resolveSibling(""), name);
    }

    private static Path render(Report report, Path folder, String name) throws IOException {
        var plots = new Plot(report, folder).write(name);
        var markdown = folder.resolve(name + ".md");
        Files.writeString(markdown, Markdown.of(report, plots));
        return markdown;
    }

    private static String unused(Path folder, String experiment) {
        var name = experiment;
        for (var i = 2; Files.exists(folder.resolve(name + ".json")); i++) {
            name = experiment + "-" + i;
        }
        return name;
    }
}
