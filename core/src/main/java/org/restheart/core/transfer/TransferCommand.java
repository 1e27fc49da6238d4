package org.restheart.core.transfer;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The gateway, the format and the output of a command. Confined to one thread.
@Command(mixinStandardHelpOptions = true, sortOptions = false)
abstract class TransferCommand implements Callable<Integer> {
    @Mixin
    GatewayClient gateway;

    @Option(names = "--format", description = "${COMPLETION-CANDIDATES}; else by the name of the file.")
    private @Nullable FileFormat format;

    final PrintStream err;

    TransferCommand(Map<String, String> environment, PrintStream err) {
        this.err = err;
        this.gateway = new GatewayClient(environment, err);
    }

    final FileFormat format(Path file) {
        return format == null ? FileFormat.of(file.toString()) : format;
    }
}
