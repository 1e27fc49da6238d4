package org.restheart.mongo.hal;

import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.Utf8Buffer;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.parameter.FormatParameters.Representation;
import org.restheart.mongo.parameter.Parameters;

/// A list that is written as HAL or SHAL while its children are read.
///
/// @param head members at the top level
/// @param ifNone further members when there are no children
/// @param links of the list itself
/// @param relation of a child to the list; children of one relation are consecutive
/// @param represent converts a document to a child
record HalPage(
        BsonDocument head,
        BsonDocument ifNone,
        Links links,
        Function<BsonDocument, String> relation,
        UnaryOperator<BsonDocument> represent) {
    static final String MEDIA_TYPE = "application/hal+json";

    HalPage(
            BsonDocument head,
            Links links,
            Function<BsonDocument, String> relation,
            UnaryOperator<BsonDocument> represent) {
        this(head, new BsonDocument(), links, relation, represent);
    }

    DocumentFormat format(Parameters parameters) {
        var out = new Members(JsonEncoder.of(parameters.format().jsonMode()));
        return parameters.format().representation() == Representation.SHAL
                ? new ShalFormat(this, out, parameters.format().noProperties())
                : new HalFormat(this, out);
    }

    /// Writes a list as HAL: its children in `_embedded`, by relation.
    private static final class HalFormat implements DocumentFormat {
        private final HalPage page;
        private final Members members;
        private String relation = "";

        HalFormat(HalPage page, Members members) {
            this.page = page;
            this.members = members;
        }

        @Override
        public String mediaType() {
            return HalPage.MEDIA_TYPE;
        }

        @Override
        public void begin(Utf8Buffer out) {
            out.put((byte) '{');
            members.members(page.head(), out);
        }

        @Override
        public void document(BsonDocument document, long index, Utf8Buffer out) {
            var its = page.relation().apply(document);
            if (index == 0) {
                members.name("_embedded", out);
                out.ascii("{\"" + its + "\": [");
            } else {
                out.ascii(its.equals(relation) ? ", " : "], \"" + its + "\": [");
            }
            relation = its;
            members.value(page.represent().apply(document), out);
        }

        @Override
        public void end(long count, Utf8Buffer out) {
            if (count > 0) {
                out.ascii("]}");
            } else {
                members.members(page.ifNone(), out);
            }
            members.member("_returned", count, out);
            if (!page.links().isEmpty()) {
                members.member(Links.MEMBER, page.links().toDocument(), out);
            }
            out.put((byte) '}');
        }
    }

    /// Writes a list as SHAL: all children in one array, no links of the list itself; without its properties only
    /// the array.
    private record ShalFormat(HalPage page, Members members, boolean onlyChildren) implements DocumentFormat {
        @Override
        public String mediaType() {
            return HalPage.MEDIA_TYPE;
        }

        @Override
        public void begin(Utf8Buffer out) {
            if (!onlyChildren) {
                out.put((byte) '{');
                members.members(page.head(), out);
                members.name("_embedded", out);
            }
            out.put((byte) '[');
        }

        @Override
        public void document(BsonDocument document, long index, Utf8Buffer out) {
            if (index > 0) {
                out.ascii(", ");
            }
            members.value(page.represent().apply(document), out);
        }

        @Override
        public void end(long count, Utf8Buffer out) {
            out.put((byte) ']');
            if (!onlyChildren) {
                if (count == 0) {
                    members.members(page.ifNone(), out);
                }
                members.member("_returned", count, out);
                out.put((byte) '}');
            }
        }
    }

    /// Writes an object's members incrementally, since not all of them are known when the first is written. Confined to
    /// one result.
    private static final class Members {
        private final JsonEncoder encoder;
        private boolean first = true;

        Members(JsonEncoder encoder) {
            this.encoder = encoder;
        }

        void name(String name, Utf8Buffer out) {
            if (!first) {
                out.ascii(", ");
            }
            first = false;
            encoder.encode(new BsonString(name), out);
            out.ascii(": ");
        }

        void member(String name, BsonValue value, Utf8Buffer out) {
            name(name, out);
            value(value, out);
        }

        void member(String name, long value, Utf8Buffer out) {
            member(name, new BsonInt64(value), out);
        }

        void members(BsonDocument document, Utf8Buffer out) {
            document.forEach((name, value) -> member(name, value, out));
        }

        void value(BsonValue value, Utf8Buffer out) {
            encoder.encode(value, out);
        }
    }
}
