/// JSON Schemas as MongoDB's validators, which also apply to writes without the gateway. [Validators] is the entry
/// type.
///
/// Must not know: how documents are written.
@NullMarked
package org.restheart.rest.validator;

import org.jspecify.annotations.NullMarked;
