package org.restheart.core.streams;

import com.mongodb.internal.dns.JndiDnsClient;
import com.mongodb.spi.dns.DnsClient;
import com.mongodb.spi.dns.DnsClientProvider;
import com.mongodb.spi.dns.DnsWithResponseCodeException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the MongoDB driver of this JVM asks in place of the DNS, for one deployment; everything else it asks the DNS.
public final class TestDns implements DnsClientProvider {
    /// A member has to be in the same domain as the deployment, and has to have an address without the DNS: that of
    /// this machine is taken for a name.
    static final String HOST = "deployment.0.0.1";

    private static final int SERVER_FAILURE = 2;

    private static volatile @Nullable Records current;

    /// The records of the deployment, until they are closed.
    static final class Records implements AutoCloseable {
        private final int port;
        private volatile boolean answers;

        private Records(int port) {
            this.port = port;
        }

        void answer() {
            answers = true;
        }

        private List<String> data(String type) {
            if (type.equals("TXT")) {
                return List.of();
            }
            if (!answers) {
                throw new DnsWithResponseCodeException("the DNS server has failed", SERVER_FAILURE, null);
            }
            return List.of("0 0 " + port + " 127.0.0.1.");
        }

        @Override
        public void close() {
            current = null;
        }
    }

    /// There are no options (`TXT`), and the question for members (`SRV`) fails.
    static Records failing(int port) {
        var records = new Records(port);
        current = records;
        return records;
    }

    @Override
    public DnsClient create() {
        var dns = new JndiDnsClient();
        return (name, type) -> {
            var records = current;
            return records == null || !name.endsWith(HOST) ? dns.getResourceRecordData(name, type) : records.data(type);
        };
    }
}
