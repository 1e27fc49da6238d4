/// The experiments: each a command with defaults that finish in minutes on two cores.
///
/// They put subjects side by side, in turn, and hand what was measured to the report.
@NullMarked
package org.restheart.perftest.experiment;

import org.jspecify.annotations.NullMarked;
