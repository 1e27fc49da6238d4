package org.restheart.core.chaos;

import com.mongodb.MongoException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/// What is done to a deployment, and undone.
enum Fault {
    NONE {
        @Override
        void run(ChaosDeployment on) throws Exception {
            TimeUnit.SECONDS.sleep(3);
        }
    },
    KILL_PRIMARY {
        @Override
        void run(ChaosDeployment on) throws Exception {
            var primary = on.members().primary(on.driver());
            primary.kill();
            TimeUnit.SECONDS.sleep(4);
            primary.restart();
        }
    },
    FREEZE_PRIMARY {
        @Override
        void run(ChaosDeployment on) throws Exception {
            var primary = on.members().primary(on.driver());
            primary.signal("STOP");
            TimeUnit.SECONDS.sleep(20);
            primary.signal("CONT");
        }
    },
    STEP_DOWN {
        @Override
        void run(ChaosDeployment on) {
            on.members().stepDown(on.driver());
        }
    },
    ALL_MEMBERS_DOWN {
        @Override
        void run(ChaosDeployment on) throws Exception {
            for (var member : on.members().all()) {
                member.kill();
            }
            TimeUnit.SECONDS.sleep(5);
            for (var member : on.members().all()) {
                member.restart();
            }
        }
    },
    KILL_GATEWAY {
        @Override
        void run(ChaosDeployment on) throws Exception {
            var gateway = on.anyGateway();
            gateway.kill();
            TimeUnit.SECONDS.sleep(1);
            gateway.restart();
            gateway.awaitStart();
        }
    },
    TERMINATE_GATEWAY {
        @Override
        void run(ChaosDeployment on) throws Exception {
            var gateway = on.anyGateway();
            gateway.terminate();
            gateway.restart();
            gateway.awaitStart();
        }
    },
    MONGO_DELAYED {
        @Override
        void run(ChaosDeployment on) throws Exception {
            for (var member : on.members().all()) {
                member.proxy().delay(50);
            }
            TimeUnit.SECONDS.sleep(4);
            for (var member : on.members().all()) {
                member.proxy().delay(0);
            }
        }
    },
    PRIMARY_UNREACHABLE {
        @Override
        void run(ChaosDeployment on) throws Exception {
            var proxy = on.members().primary(on.driver()).proxy();
            proxy.drop(true);
            TimeUnit.SECONDS.sleep(20);
            proxy.drop(false);
        }
    },
    MONGO_CONNECTIONS_RESET {
        @Override
        void run(ChaosDeployment on) throws Exception {
            for (int i = 0; i < 5; i++) {
                on.members().primary(on.driver()).proxy().reset();
                TimeUnit.MILLISECONDS.sleep(500);
            }
        }
    },
    CLIENT_CONNECTIONS_RESET {
        @Override
        void run(ChaosDeployment on) throws Exception {
            for (int i = 0; i < 5; i++) {
                on.balancer().reset();
                TimeUnit.MILLISECONDS.sleep(500);
            }
        }
    },
    CLIENT_CONNECTIONS_HALF_CLOSED {
        @Override
        void run(ChaosDeployment on) throws Exception {
            on.balancer().halfClose();
            TimeUnit.SECONDS.sleep(2);
        }
    },
    CLIENTS_UNREACHABLE {
        @Override
        void run(ChaosDeployment on) throws Exception {
            on.balancer().drop(true);
            TimeUnit.SECONDS.sleep(3);
            on.balancer().drop(false);
        }
    },
    CLOCK_JUMP {
        @Override
        boolean isPossible() {
            return FAKE_TIME.isPresent();
        }

        @Override
        void run(ChaosDeployment on) throws Exception {
            var gateway = on.anyGateway();
            gateway.terminate();
            gateway.restartWithClock(FAKE_TIME.orElseThrow(), Duration.ZERO);
            gateway.awaitStart();
            for (var ahead : List.of(Duration.ofHours(1), Duration.ofHours(-1), Duration.ZERO)) {
                TimeUnit.SECONDS.sleep(4);
                gateway.shiftClock(ahead);
            }
            TimeUnit.SECONDS.sleep(2);
            gateway.terminate();
            gateway.restart();
            gateway.awaitStart();
        }
    },
    DISK_FULL {
        @Override
        boolean isPossible() {
            return ResizableDisk.isAvailable();
        }

        /// Of the primary. A `mongod` that cannot write its journal or a checkpoint ends at once; `fsync` asks for a
        /// checkpoint, since what is left of the journal's last file may last for a while.
        @Override
        void run(ChaosDeployment on) throws Exception {
            var member = on.members().all().getFirst();
            on.members().makePrimary(member, on.driver());
            member.disk().fill();
            try {
                Members.ask(member, new BsonDocument("fsync", new BsonInt32(1)));
            } catch (MongoException _) {
                // it has ended
            }
            System.out.println("mongod ended with status " + member.awaitEnd(Duration.ofMinutes(2)));
            TimeUnit.SECONDS.sleep(4);
            member.disk().enlarge();
            member.restart();
        }
    };

    private static final Optional<Path> FAKE_TIME = Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")
            .map(folder -> Path.of(folder, "faketime", "libfaketime.so.1"))
            .filter(Files::exists)
            .findFirst();

    /// Whether this machine has what it needs.
    boolean isPossible() {
        return true;
    }

    /// Returns when what was done is undone.
    abstract void run(ChaosDeployment on) throws Exception;
}
