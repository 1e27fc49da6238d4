/// The data API over the wire, by conformance cases.
@NullMarked
package org.restheart.core.dataapi;

import org.jspecify.annotations.NullMarked;
