/// Tests of single classes; those of the protocol run over HTTP, in the module `core`.
@NullMarked
package org.restheart.mcp;

import org.jspecify.annotations.NullMarked;
