/// Two worlds that differ only in what a caller may not see or change answer his random requests alike
/// ([NoninterferenceTest]), and callers who ask together are answered as if each had asked alone
/// ([TogetherEqualsAloneTest]). `docs/noninterference.md` says what that claims, and what it does not.
///
/// Must not know: how the gateway enforces its rules.
@NullMarked
package org.restheart.core.noninterference;

import org.jspecify.annotations.NullMarked;
