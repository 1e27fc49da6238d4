/// JMH benchmarks of code on the path of every request, compared with alternatives.
///
/// Entry type: [Main]. Must not know: servers; perftest measures whole requests.
@NullMarked
package org.restheart.bench;

import org.jspecify.annotations.NullMarked;
