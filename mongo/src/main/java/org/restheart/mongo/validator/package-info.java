/// JSON Schemas as MongoDB's validators, which hold also those who write without the gateway. [Validators] is the entry
/// point.
///
/// Must not know: how documents are written.
@NullMarked
package org.restheart.mongo.validator;

import org.jspecify.annotations.NullMarked;
