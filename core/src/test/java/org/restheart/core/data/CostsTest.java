package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What requests cost: commands, and the memory that the whole process allocates for them, of which these clients use
/// next to nothing.
@WithMongo
class CostsTest {
    private static final int CLIENTS = 16;
    private static final int EACH = 100;

    private static final byte[] READ = "GET /c/x HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @AutoClose
    private final TestGateway gateway;

    CostsTest(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "logging: {requests-log-mode: 0}\n");
        gateway.permit("{_id: 'all', roles: ['$unauthenticated'], predicate: \"path-prefix('/c')\","
                + " mongo: {allowWriteMode: true}}");
        gateway.insert("c", "{_id: 'x', n: 1}");
    }

    /// One that allocates nothing for a further request.
    private final class Client implements AutoCloseable {
        private static final byte[] LENGTH = "\r\nContent-Length: ".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

        private final Socket socket = new Socket();
        private final byte[] response = new byte[1 << 16];
        private final byte[] request;

        Client(byte[] request) throws IOException {
            this.request = request;
            socket.connect(gateway.address());
        }

        Client send(int times) throws IOException {
            for (int i = 0; i < times; i++) {
                socket.getOutputStream().write(request);
                int read = 0;
                for (int length = -1; read != length; length = length(read)) {
                    int more = socket.getInputStream().read(response, read, response.length - read);
                    assertThat(more).isPositive();
                    read += more;
                }
                if (response[9] != '2') {
                    throw new AssertionError(new String(response, 0, read, StandardCharsets.UTF_8));
                }
            }
            return this;
        }

        /// Of the whole response; -1 if its head is not there yet.
        private int length(int read) {
            int end = indexOf(END, read);
            int length = indexOf(LENGTH, read);
            if (end < 0) {
                return -1;
            }
            int content = 0;
            for (int i = length + LENGTH.length; length >= 0 && response[i] >= '0'; i++) {
                content = 10 * content + response[i] - '0';
            }
            return end + END.length + content;
        }

        private int indexOf(byte[] text, int read) {
            for (int i = 0; i + text.length <= read; i++) {
                if (Arrays.equals(response, i, i + text.length, text, 0, text.length)) {
                    return i;
                }
            }
            return -1;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static byte[] request(String head, String content) {
        return (head + " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: "
                        + content.length() + "\r\n\r\n" + content)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private void sendAtOnce(byte[] request, int each) throws Exception {
        try (var executor = Executors.newFixedThreadPool(CLIENTS)) {
            var sent = new ArrayList<Future<?>>();
            for (int i = 0; i < CLIENTS; i++) {
                sent.add(executor.submit(() -> {
                    try (var client = new Client(request)) {
                        client.send(each);
                    }
                    return null;
                }));
            }
            for (var all : sent) {
                all.get();
            }
        }
    }

    @Test
    void concurrent_reads_by_id_share_commands() throws Exception {
        sendAtOnce(READ, 10);
        var commands = TestMongo.profiled(gateway.database(), "{'command.find': 'c'}", () -> sendAtOnce(READ, EACH));
        assertThat(commands).hasSizeLessThan(CLIENTS * EACH / 2);
    }

    @Test
    void a_coalesced_read_allocates_little() throws Exception {
        sendAtOnce(READ, EACH);
        long before = threads.getTotalThreadAllocatedBytes();
        sendAtOnce(READ, 2 * EACH);
        assertThat((threads.getTotalThreadAllocatedBytes() - before) / (2 * EACH * CLIENTS))
                .as("bytes of each")
                .isLessThan(45_000);
    }

    /// In multiples of its length: receiving, parsing, encoding and sending it. Once more for one of them is too much.
    @ParameterizedTest
    @CsvSource({"PUT /c/big?wm=upsert, 11.1", "POST /c?wm=upsert, 9.5"})
    void content_is_parsed_and_copied_once(String head, double bound) throws Exception {
        var content = IntStream.range(100_000, 160_000)
                .mapToObj(i -> "\"value " + i + "\"")
                .collect(Collectors.joining(",", "{\"_id\": \"big\", \"list\": [", "]}"));
        try (var client = new Client(request(head, content))) {
            client.send(2);
            long before = threads.getTotalThreadAllocatedBytes();
            client.send(5);
            assertThat((threads.getTotalThreadAllocatedBytes() - before) / 5.0 / content.length())
                    .isBetween(1.0, bound);
        }
    }
}
