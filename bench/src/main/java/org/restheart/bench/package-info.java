/// JMH benches of the code that every request passes, beside what one would use instead.
///
/// Entry type: [Main]. Knows nothing of servers: what a whole request costs is perftest's business.
@NullMarked
package org.restheart.bench;

import org.jspecify.annotations.NullMarked;
