package org.restheart.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.bson.RawDocuments;
import org.restheart.core.security.TestGateway;
import org.restheart.core.transfer.FileFormat.ArchiveReader;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The commands `import` and `export`, also over connections that are cut.
@WithMongo
class TransferTest {
    @AutoClose
    private static TestGateway gateway;

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        for (var name : List.of("lines", "rows", "array", "cut", "again", "lower", "zipped", "archived")) {
            gateway.database().createCollection(name);
        }
    }

    private int run(String... args) {
        return runAs("admin:admin-pw", args);
    }

    private int runAs(String user, String... args) {
        try (var out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
            return new Transfer(Map.of("RESTHEART_USER", user), out, out).run(args);
        }
    }

    private static byte[] bson(String json) {
        var bytes =
                RawDocuments.encode(BsonDocument.parse(json)).getByteBuffer().asNIO();
        var copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (var part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] gzip(byte[] content) throws IOException {
        var zipped = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(zipped)) {
            out.write(content);
        }
        return zipped.toByteArray();
    }

    @Test
    void files_of_mongodump_may_be_compressed() throws Exception {
        var file = directory.resolve("c.bson.gz");
        Files.write(file, gzip(joined(bson("{_id: 1, n: {$numberLong: '5'}}"), bson("{_id: 2}"))));
        assertThat(run("import", url("/zipped"), file.toString())).as(output()).isZero();
        assertThat(stored("zipped"))
                .containsExactly(BsonDocument.parse("{_id: 1, n: {$numberLong: '5'}}"), BsonDocument.parse("{_id: 2}"));
        assertThat(run(
                        "import",
                        url("/zipped"),
                        file("t.tsv", "_id\tv\n3\tx, y\n").toString()))
                .as(output())
                .isZero();
        assertThat(stored("zipped")).contains(BsonDocument.parse("{_id: 3, v: 'x, y'}"));
    }

    @Test
    void an_archive_of_mongodump_has_blocks_of_several_collections() throws Exception {
        byte[] end = {-1, -1, -1, -1};
        var archive = joined(
                new byte[] {0x6d, (byte) 0xe2, (byte) 0x99, (byte) 0x81},
                bson("{concurrent_collections: 4, version: '0.1', server_version: '6.0.1', tool_version: '100.9.0'}"),
                bson("{db: 'd', collection: 'a', metadata: '{}', size: 1, type: 'collection'}"),
                bson("{db: 'd', collection: 'b', metadata: '{}', size: 1, type: 'collection'}"),
                end,
                bson("{db: 'd', collection: 'a', EOF: false, CRC: {$numberLong: '0'}}"),
                bson("{_id: 1}"),
                end,
                bson("{db: 'd', collection: 'b', EOF: false, CRC: {$numberLong: '0'}}"),
                bson("{_id: 7}"),
                bson("{_id: 8}"),
                end,
                bson("{db: 'd', collection: 'a', EOF: false, CRC: {$numberLong: '0'}}"),
                bson("{_id: 2}"),
                end,
                bson("{db: 'd', collection: 'b', EOF: true, CRC: {$numberLong: '1'}}"),
                end,
                bson("{db: 'd', collection: 'a', EOF: true, CRC: {$numberLong: '1'}}"),
                end);
        var file = directory.resolve("dump.archive");
        Files.write(file, gzip(archive));
        assertThat(run("import", url("/archived"), file.toString())).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("the archive has the collections d.a, d.b: say one of them with --from");
        assertThat(run("import", "--from", "d.a", url("/archived"), file.toString()))
                .as(output())
                .isZero();
        assertThat(stored("archived")).containsExactly(BsonDocument.parse("{_id: 1}"), BsonDocument.parse("{_id: 2}"));

        var broken = directory.resolve("broken.archive");
        Files.write(broken, Arrays.copyOf(archive, archive.length - 300));
        assertThat(run("import", "--from", "d.b", url("/archived"), broken.toString()))
                .isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("the archive does not end");
        int last = bson("{db: 'd', collection: 'a', EOF: true, CRC: {$numberLong: '1'}}").length + end.length;
        Files.write(broken, Arrays.copyOf(archive, archive.length - last)); // between two blocks
        assertThat(run("import", "--from", "d.a", url("/archived"), broken.toString()))
                .isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("the archive does not end");
        assertThat(run("import", url("/archived"), file("no.archive", "{}{}").toString()))
                .isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("the file is no archive of mongodump");
        for (int at = 0; at < archive.length; at++) {
            for (byte other : new byte[] {0, 1, 2, 16, 64, -1, -128}) {
                var changed = archive.clone();
                changed[at] = other;
                assertIsReadOrRefused(changed);
            }
        }
    }

    private static void assertIsReadOrRefused(byte[] archive) {
        try {
            var reader = new ArchiveReader(new ByteArrayInputStream(archive), "d.a");
            for (int documents = 0; reader.next() != null; documents++) {
                assertThat(documents).isLessThan(archive.length);
            }
        } catch (IOException | Transfer.Failure refused) {
            assertThat(refused.getMessage()).startsWith("the ");
        }
    }

    @Test
    void credentials_without_a_password_or_none_at_all_are_told() throws Exception {
        var file = file("u.ndjson", "{}\n").toString();
        assertThat(runAs("admin", "import", url("/lines"), file)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("RESTHEART_USER, or --user, is NAME:PASSWORD");
        output.reset();
        assertThat(runAs("", "import", url("/lines"), file)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("401: this needs an account", "RESTHEART_USER");
    }

    private static String url(int port, String path) {
        return "http://127.0.0.1:" + port + path;
    }

    private static String url(String path) {
        return url(gateway.address().getPort(), path);
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content);
    }

    private String output() {
        return output.toString(StandardCharsets.UTF_8);
    }

    private static List<BsonDocument> stored(String collection) {
        var documents = gateway.collection(collection).find().sort(new BsonDocument("_id", new BsonInt32(1)));
        return documents.into(new ArrayList<>()).stream()
                .peek(document -> document.remove("_etag"))
                .toList();
    }

    @Test
    void lines_that_are_refused_are_listed_and_all_others_stored() throws Exception {
        var file = file("a.ndjson", "{\"_id\": 1, \"d\": {\"$date\": 5}}\n\n{oops\n{\"_id\": 1}\n{\"n\": 2}\n7\n");
        assertThat(run("import", url("/lines"), file.toString())).as(output()).isEqualTo(Transfer.REFUSED);
        assertThat(stored("lines")).hasSize(2).contains(BsonDocument.parse("{_id: 1, d: {$date: {$numberLong: '5'}}}"));
        assertThat(output()).contains("100 %", "2 stored, 3 refused");
        assertThat(Files.readAllLines(directory.resolve("a.ndjson.errors")))
                .extracting(line -> BsonDocument.parse(line).getNumber("line").intValue())
                .containsExactlyInAnyOrder(3, 4, 6);
        assertThat(directory.resolve("a.ndjson.import")).doesNotExist();
    }

    @Test
    void csv_has_the_types_of_its_header() throws Exception {
        var file = file(
                "a.csv",
                "_id,n:long,on:date,zip,note,sub.x\r\n1,7,2024-03-12,007,\"a, \"\"b\"\"\r\nc\",true\r\n"
                        + "2,oops,,,,\r\n3,,,\"5\",\"[1]\",\r\n");
        assertThat(run("import", url("/rows"), file.toString())).as(output()).isEqualTo(Transfer.REFUSED);
        assertThat(stored("rows"))
                .containsExactly(
                        BsonDocument.parse("{_id: 1, n: {$numberLong: '7'}, on: {$date: '2024-03-12T00:00:00Z'},"
                                + " zip: '007', note: 'a, \"b\"\\r\\nc', sub: {x: true}}"),
                        BsonDocument.parse("{_id: 3, zip: '5', note: [1]}"));
        assertThat(Files.readString(directory.resolve("a.csv.errors"))).contains("\"line\": 4", "column n");
    }

    @Test
    void an_array_may_break_its_lines_as_it_likes() throws Exception {
        var file = file("a.json", "[ {\"_id\": 1,\n \"s\": \"}\\\"\"},{\"_id\"\n:2}\n]\n");
        assertThat(run("import", url("/array"), file.toString())).as(output()).isZero();
        assertThat(stored("array"))
                .containsExactly(BsonDocument.parse("{_id: 1, s: '}\"'}"), BsonDocument.parse("{_id: 2}"));
        assertThat(directory.resolve("a.json.errors")).doesNotExist();
    }

    @Test
    void what_the_gateway_does_not_take_at_all_ends_the_import_with_its_reason() throws Exception {
        var file = file("a.ndjson", "{}\n");
        assertThat(run("import", url("/missing"), file.toString())).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("404");
        assertThat(run("import", "-u", "bob:bob-pw", url("/lines"), file.toString()))
                .isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("403");
        assertThat(run("import", "localhost", file.toString())).isEqualTo(2);
        assertThat(run("import", "--help")).isZero();
    }

    @Test
    void nothing_is_lost_or_doubled_by_a_connection_that_is_cut() throws Exception {
        var lines = IntStream.range(0, 3_500)
                .mapToObj(i -> "{\"n\": " + i + ", \"p\": \"" + "x".repeat(300) + "\"}\n")
                .collect(Collectors.joining());
        var file = file("cut.ndjson", lines);
        try (var proxy = new CuttingProxy(gateway.address().getPort(), 2)) {
            var target = url(proxy.port(), "/cut");
            assertThat(run("import", target, "--attempts", "1", file.toString()))
                    .isEqualTo(Transfer.FAILED);
            assertThat(directory.resolve("cut.ndjson.import")).exists();
            assertThat(run("import", target, file.toString())).as(output()).isZero();
        }
        assertThat(output()).contains("going on after document 1000", "3,500 stored, 0 refused");
        assertThat(stored("cut").stream()
                        .map(document -> document.getNumber("n").intValue()))
                .containsExactlyElementsOf(IntStream.range(0, 3_500).boxed().toList());
    }

    @Test
    void an_export_that_is_cut_goes_on_where_it_was() throws Exception {
        var documents = IntStream.range(0, 9_000)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)).append("p", new BsonString("é".repeat(200))))
                .toList();
        gateway.collection("export").insertMany(documents);
        for (var name : List.of("e.bson", "e.ndjson")) {
            var target = directory.resolve(name);
            try (var proxy = new CuttingProxy(gateway.address().getPort(), 2)) {
                var source = url(proxy.port(), "/export?filter={\"_id\":{\"$gte\":1000}}");
                assertThat(run("export", source, "--attempts", "1", target.toString()))
                        .isEqualTo(Transfer.FAILED);
                assertThat(target).doesNotExist();
                assertThat(run("export", source, target.toString()))
                        .as(output())
                        .isZero();
            }
            assertThat(output()).contains("going on after document");
            assertThat(run("import", url("/again"), target.toString()))
                    .as(output())
                    .isZero();
            assertThat(stored("again")).containsExactlyElementsOf(documents.subList(1_000, 9_000));
            gateway.collection("again").deleteMany(new BsonDocument());
        }
        assertThat(run(
                        "export",
                        url("/export?sort=-_id&pagesize=2"),
                        directory.resolve("e.csv").toString()))
                .isZero();
        assertThat(Files.readAllLines(directory.resolve("e.csv"))).hasSize(3);
        assertThat(directory.toFile().list()).noneMatch(name -> name.endsWith(".part"));
    }

    @Test
    void the_commands_of_the_page_work() throws Exception {
        var page = Files.readString(Path.of("../docs/how-to/import-and-export.md"));
        var example = page.substring(page.indexOf("```csv\n") + 7);
        file("quakes.csv", example.substring(0, example.indexOf("```")));
        gateway.database().createCollection("quakes");
        var commands = page.lines().filter(line -> line.startsWith("./run ")).toList();
        assertThat(commands).hasSize(4);
        for (var command : commands) {
            var words = command.replace("'", "").split(" ", -1);
            var args = Arrays.copyOfRange(words, 1, words.length);
            args[args.length - 2] = args[args.length - 2].replace("http://localhost:8080", url(""));
            args[args.length - 1] = directory.resolve(args[args.length - 1]).toString();
            assertThat(run(args)).as(command + "\n" + output()).isZero();
        }
        assertThat(stored("quakes"))
                .containsExactly(
                        BsonDocument.parse("{_id: 'us70', place: 'Dublin, Ireland', mag: 4.0,"
                                + " at: {$date: '2024-03-12T21:14:22Z'}, zip: '007', tags: ['felt']}"),
                        BsonDocument.parse(
                                "{_id: 'us71', place: 'Tonga', mag: 6.1," + " at: {$date: '2024-03-12T22:05:00Z'}}"));
        assertThat(Files.readAllLines(directory.resolve("strong.ndjson")))
                .singleElement()
                .asString()
                .contains("us71");
    }

    @Test
    void mistakes_are_told_with_what_to_do() throws Exception {
        assertThat(run("import", url("/lines"), file("a.txt", "{}").toString())).isEqualTo(2);
        assertThat(run("export", url("/lines"), directory.resolve("a.pdf").toString()))
                .isEqualTo(2);
        assertThat(directory.resolve("a.pdf")).doesNotExist();
        assertThat(output()).contains("a.txt has a name that tells no format", "a.pdf has", "--format");
        assertThat(run("import", url("/lines"), directory.resolve("none.csv").toString()))
                .isEqualTo(2);
        assertThat(output()).contains("there is no file").contains("none.csv");
        var lines = file("m.jsonl", "{\"_id\": 1}\n").toString();
        assertThat(run("import", url("/not-made"), lines)).isEqualTo(2);
        assertThat(output()).contains("make it first: curl -X PUT " + url("/not-made"));
        assertThat(run("import", url("/"), lines)).isEqualTo(2);
        assertThat(output()).contains("is this the URL of a collection");
        assertThat(run("import", "localhost:8080/books", lines)).isEqualTo(2);
        assertThat(output()).contains("'localhost:8080/books' is no URL");
        gateway.database().createCollection("mistakes");
        assertThat(run("import", url("/mistakes"), lines)).isZero();
        assertThat(run("import", url("/mistakes"), lines)).isEqualTo(1);
        assertThat(Files.readString(directory.resolve("m.jsonl.errors"))).contains("is there already");
    }

    @Test
    void a_wrong_address_or_folder_fails_at_once() throws Exception {
        int closed = FreePort.find();
        var lines = file("w.ndjson", "{}\n").toString();
        var target = directory.resolve("w.bson").toString();
        var began = Instant.now();
        assertThat(run("import", url(closed, "/lines"), lines)).isEqualTo(Transfer.FAILED);
        assertThat(run("export", url(closed, "/lines"), target)).isEqualTo(Transfer.FAILED);
        assertThat(output().split("ERROR 127.0.0.1:" + closed + " refuses connections", -1))
                .hasSize(3);
        assertThat(run("import", "http://nowhere.invalid/lines", lines)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("ERROR there is no host nowhere.invalid");
        var tls = url("/lines").replace("http:", "https:");
        assertThat(run("export", tls, target)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("ERROR no TLS with 127.0.0.1:", "is the URL http://");
        var folder = directory.resolve("none");
        assertThat(run("export", url("/lines"), folder.resolve("w.bson").toString()))
                .isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("ERROR there is no folder " + folder);
        for (var none : List.of("/", "/lines/_size", "/lines/_indexes")) {
            assertThat(run("export", url(none), target)).isEqualTo(Transfer.FAILED);
            assertThat(output()).contains("ERROR " + url(none) + " is no collection");
        }
        assertThat(Duration.between(began, Instant.now())).isLessThan(Patience.relative(Duration.ofSeconds(15)));
    }

    @Test
    void warnings_of_the_gateway_are_printed_once() throws Exception {
        gateway.collection("warned")
                .insertMany(List.of(
                        new BsonDocument("s", new BsonString("a\nb")), new BsonDocument("s", new BsonString("c"))));
        var target = directory.resolve("w.csv").toString();
        assertThat(run("export", url("/warned?fliter={}"), target)).as(output()).isZero();
        assertThat(output().split("WARN ", -1)).as(output()).hasSize(2);
        assertThat(output()).containsPattern("WARN  .*fliter.*filter").contains("2 documents");
    }

    @Test
    void a_format_may_be_written_in_lower_case_and_a_wrong_name_leaves_nothing() throws Exception {
        var file = file("f.txt", "{\"_id\": \"lower\"}\n").toString();
        assertThat(run("import", url("/lines"), file)).isEqualTo(Transfer.FAILED);
        assertThat(directory.resolve("f.txt.import")).doesNotExist();
        assertThat(run("import", "--format", "ndjson", url("/lower"), file))
                .as(output())
                .isZero();
    }

    /// Cuts the first connections that carry content while their second piece is under way: requests after they were
    /// delivered, so that their answers are lost.
    private static final class CuttingProxy implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int target;
        private int cuts;

        CuttingProxy(int target, int cuts) throws IOException {
            this.target = target;
            this.cuts = cuts;
            Thread.ofVirtual().start(this::accept);
        }

        int port() {
            return server.getLocalPort();
        }

        private void accept() {
            while (!server.isClosed()) {
                try {
                    var client = server.accept();
                    var gateway = new Socket(InetAddress.getLoopbackAddress(), target);
                    Thread.ofVirtual().start(() -> copy(client, gateway, Integer.MAX_VALUE));
                    Thread.ofVirtual().start(() -> copy(gateway, client, limit()));
                } catch (IOException _) { // closed
                    return;
                }
            }
        }

        /// The answer to the first batch passes, and the second is cut; so is a download.
        private synchronized int limit() {
            return cuts-- > 0 ? 60_000 : Integer.MAX_VALUE;
        }

        private static void copy(Socket from, Socket to, int limit) {
            try (from;
                    to;
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                var buffer = new byte[4_096];
                long passed = 0;
                for (int read = in.read(buffer); read >= 0 && passed + read < limit; read = in.read(buffer)) {
                    out.write(buffer, 0, read);
                    passed += read;
                }
            } catch (IOException _) { // the other direction has ended
            }
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
