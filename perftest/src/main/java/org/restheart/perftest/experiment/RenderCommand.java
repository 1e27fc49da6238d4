package org.restheart.perftest.experiment;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.restheart.perftest.report.Results;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "render",
        description = "Writes Markdown and plots anew from results' JSON files.",
        mixinStandardHelpOptions = true)
public final class RenderCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", description = "JSON files of a results folder.")
    List<Path> files = List.of();

    @Override
    public Integer call() throws Exception {
        for (var file : files) {
            System.out.println(Results.render(file));
        }
        return 0;
    }
}
