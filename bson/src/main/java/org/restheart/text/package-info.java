/// Plain texts: lists of names, names that are misspelt, quotations. Must not know: anything else of ours.
@NullMarked
package org.restheart.text;

import org.jspecify.annotations.NullMarked;
