package org.restheart.core;

import org.restheart.core.config.CoreConfig;

/// The number of carrier threads of virtual threads. The JDK reads these properties once, when the first virtual thread
/// starts; properties of the launch command take precedence over the configuration.
final class Carriers {
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
    private static final String MAX_POOL_SIZE = "jdk.virtualThreadScheduler.maxPoolSize";

    private Carriers() {}

    static void apply(CoreConfig core) {
        if (System.getProperty(PARALLELISM) == null && System.getProperty(MAX_POOL_SIZE) == null) {
            System.setProperty(PARALLELISM, String.valueOf(core.workersParallelism()));
            System.setProperty(MAX_POOL_SIZE, String.valueOf(core.workersMaxPoolSize()));
        }
    }
}
