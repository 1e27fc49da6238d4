package org.restheart.rest.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemException;

/// Splits CSV text into records and cells (RFC 4180), with any separator, and `CRLF`, `LF` or `CR` at
/// the end of a line. Blanks belong to cells. A byte order mark is skipped, and so are lines without
/// anything but blanks. Quotes within a cell that does not begin with one are text; in one that begins
/// as JSON, they protect separators up to the line's end. Confined to one thread.
public final class CsvRecords {
    private static final int BYTE_ORDER_MARK = 0xfeff; // of Excel, among others
    private static final List<String> OTHER_SEPARATORS = List.of(";", "\t", "|");
    private static final int MAX_CELLS = 10_000;

    private final BufferedReader in;
    private final String separator;
    private long line = 1;
    private boolean begun;

    /// @param separator not empty
    public CsvRecords(InputStream in, String separator) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()), 64 << 10);
        this.separator = separator;
    }

    /// @param quoted whether it stood in quotes
    public record Cell(String text, boolean quoted) {}

    /// @param line its first, from 1
    /// @param cells at least one
    public record Row(long line, List<Cell> cells) {
        private boolean isBlank() {
            return cells.size() == 1
                    && cells.getFirst().text().isBlank()
                    && !cells.getFirst().quoted();
        }
    }

    /// The next record; null at the end.
    ///
    /// @throws ProblemException 400 for a quote that is not closed, and for other text than UTF-8; 413 for a record
    ///     of more than 16 MiB or 10,000 cells
    public @Nullable Row next() throws IOException {
        try {
            if (!begun && peek(0) == BYTE_ORDER_MARK) {
                in.read();
            }
            begun = true;
            var row = row();
            while (row != null && row.isBlank()) {
                row = row();
            }
            return row;
        } catch (CharacterCodingException _) {
            throw new ProblemException(CONTENT_INVALID, "Invalid CSV. Line " + line + " is not UTF-8.");
        }
    }

    private @Nullable Row row() throws IOException {
        int next = in.read();
        if (next < 0) {
            return null;
        }
        long first = line;
        var cells = new ArrayList<Cell>();
        for (long left = DocumentReader.MAX_LENGTH; ; next = in.read()) {
            var text = new StringBuilder();
            boolean quoted = next == '"';
            next = quoted ? quoted(text, left) : next;
            boolean isProtected = false;
            while (next >= 0 && next != '\n' && next != '\r' && (isProtected || !endsCell(next))) {
                boolean isJson = !quoted && !text.isEmpty() && (text.charAt(0) == '{' || text.charAt(0) == '[');
                isProtected ^= next == '"' && isJson && text.charAt(text.length() - 1) != '\\';
                append(text, next, left);
                next = in.read();
            }
            cells.add(new Cell(text.toString(), quoted));
            left -= text.length();
            if (cells.size() > MAX_CELLS) {
                throw tooLong();
            }
            if (next < 0 || next == '\n' || next == '\r') {
                endLine(next);
                return new Row(first, cells);
            }
        }
    }

    /// Reads up to the closing quote.
    ///
    /// @return the character behind it, negative for none
    private int quoted(StringBuilder text, long left) throws IOException {
        long opened = line;
        for (int next = in.read(); ; next = in.read()) {
            if (next < 0) {
                throw new ProblemException(
                        CONTENT_INVALID, "Invalid CSV. The quote that opens in line " + opened + " is not closed.");
            }
            if (next == '"') {
                int behind = in.read();
                if (behind != '"') {
                    return behind;
                }
            } else if (next == '\n' || (next == '\r' && peek(0) != '\n')) {
                line++;
            }
            append(text, next, left);
        }
    }

    private static void append(StringBuilder text, int next, long left) {
        if (text.length() >= left) {
            throw tooLong();
        }
        text.append((char) next);
    }

    private static ProblemException tooLong() {
        return new ProblemException(CONTENT_TOO_LARGE, "a record is longer than 16 MiB or " + MAX_CELLS + " cells");
    }

    private void endLine(int end) throws IOException {
        line++;
        if (end == '\r' && peek(0) == '\n') {
            in.read();
        }
    }

    /// Whether a character begins the separator, whose other characters are then skipped.
    private boolean endsCell(int next) throws IOException {
        if (next != separator.charAt(0)) {
            return false;
        }
        for (int i = 1; i < separator.length(); i++) {
            if (peek(i - 1) != separator.charAt(i)) {
                return false;
            }
        }
        in.skip(separator.length() - 1L);
        return true;
    }

    /// A character ahead, which stays; negative for none.
    private int peek(int ahead) throws IOException {
        in.mark(ahead + 1);
        in.skip(ahead);
        int next = in.read();
        in.reset();
        return next;
    }

    /// The separator that the author of a first line of one column probably meant, `\t` for a tab.
    public static Optional<String> separatorIn(String name) {
        return OTHER_SEPARATORS.stream()
                .filter(name::contains)
                .map(separator -> separator.equals("\t") ? "\\t" : separator)
                .findFirst();
    }

    /// The first name that occurs more than once, of which the last column would count.
    public static Optional<String> twice(List<String> names) {
        var seen = new HashSet<String>();
        return names.stream().filter(name -> !name.isEmpty() && !seen.add(name)).findFirst();
    }
}
