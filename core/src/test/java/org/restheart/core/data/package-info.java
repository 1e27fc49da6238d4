/// The data API over the wire, by conformance cases.
@NullMarked
package org.restheart.core.data;

import org.jspecify.annotations.NullMarked;
