package org.restheart.core.chaos;

import java.util.concurrent.TimeUnit;

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
    };

    /// Returns when what was done is undone.
    abstract void run(ChaosDeployment on) throws Exception;
}
