/// Property-based tests: two instances whose data differ only in what is hidden from a caller respond alike to random
/// requests ([NoninterferenceTest]), and concurrent requests get the responses of sequential ones
/// ([TogetherEqualsAloneTest]). `docs/noninterference.md` defines the property and its limits.
///
/// Must not know: how the gateway enforces its rules.
@NullMarked
package org.restheart.core.noninterference;

import org.jspecify.annotations.NullMarked;
