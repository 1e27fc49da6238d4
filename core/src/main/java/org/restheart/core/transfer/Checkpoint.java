package org.restheart.core.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import org.bson.types.ObjectId;

/// The progress of an import, in a file beside its source, by which the same command resumes the import.
/// Confined to one thread.
final class Checkpoint {
    private final Path file;
    private final Properties kept = new Properties();

    private Checkpoint(Path file) {
        this.file = file;
    }

    /// The checkpoint of an earlier run with the same source and target, or a new one.
    static Checkpoint of(Path source, String target) throws IOException {
        var checkpoint = new Checkpoint(source.resolveSibling(source.getFileName() + ".import"));
        try (var in = Files.newInputStream(checkpoint.file)) {
            checkpoint.kept.load(in);
        } catch (NoSuchFileException _) { // the first run
        }
        var identity = target + " " + Files.size(source) + " " + Files.getLastModifiedTime(source);
        if (!identity.equals(checkpoint.kept.getProperty("of"))) {
            checkpoint.kept.clear();
            checkpoint.kept.setProperty("of", identity);
            checkpoint.kept.setProperty("seed", new ObjectId().toHexString());
            checkpoint.save();
        }
        return checkpoint;
    }

    /// The id for a document without one: the same in every run, so that no document is stored twice, and
    /// ascending.
    ///
    /// @param number of the document in the file
    ObjectId id(long number) {
        var seed = ByteBuffer.wrap(new ObjectId(kept.getProperty("seed")).toByteArray());
        var id = ByteBuffer.allocate(seed.capacity());
        id.putInt(seed.getInt()).putLong(seed.getLong() + number);
        return new ObjectId(id.array());
    }

    /// The number of documents of the source that are stored or refused.
    long done() {
        return number("done");
    }

    long stored() {
        return number("stored");
    }

    long refused() {
        return number("refused");
    }

    private long number(String name) {
        return Long.parseLong(kept.getProperty(name, "0"));
    }

    void advance(long done, long stored, long refused) throws IOException {
        kept.setProperty("done", Long.toString(done));
        kept.setProperty("stored", Long.toString(stored() + stored));
        kept.setProperty("refused", Long.toString(refused() + refused));
        save();
    }

    private void save() throws IOException {
        var next = file.resolveSibling(file.getFileName() + "~");
        try (var out = Files.newOutputStream(next)) {
            kept.store(out, null);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }
}
