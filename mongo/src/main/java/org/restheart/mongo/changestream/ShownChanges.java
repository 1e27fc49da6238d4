package org.restheart.mongo.changestream;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/// Expressions for the `updateDescription` of events whose `fullDocument` the listener may read.
///
/// MongoDB looks up the document of an update when it delivers the event, so the update may be one of a time when
/// the document was hidden: what it wrote is shown as far as the document still has it. What it removed is not.
final class ShownChanges {
    /// The value of the document at the dotted path of `change`, as `{v}`, or without `v`. Names are compared by
    /// their bytes, whatever the collation.
    private static final String NOW_AT_PATH = """
            {$reduce: {
              input: {$split: ['$$change.k', '.']},
              initialValue: {v: '$fullDocument'},
              in: {$switch: {
                branches: [
                  {case: {$eq: [{$type: '$$value.v'}, 'object']},
                   then: {$ifNull: [{$first: {$filter: {
                     input: {$objectToArray: '$$value.v'},
                     as: 'field',
                     cond: {$and: [
                       {$eq: [{$indexOfBytes: ['$$field.k', '$$this']}, 0]},
                       {$eq: [{$strLenBytes: '$$field.k'}, {$strLenBytes: '$$this'}]}]}}}}, {}]}},
                  {case: {$and: [
                     {$eq: [{$type: '$$value.v'}, 'array']},
                     {$regexMatch: {input: '$$this', regex: '^[0-9]{1,9}$'}}]},
                   then: {v: {$arrayElemAt: ['$$value.v', {$toInt: '$$this'}]}}}],
                default: {}}}}}""";

    /// For documents that were looked up later. Values are taken from the document, since those that are equal by
    /// a collation need not be the same.
    static final BsonDocument NOW = BsonDocument.parse("""
            {$cond: [
              {$eq: [{$type: '$updateDescription'}, 'object']},
              {updatedFields: {$arrayToObject: {$map: {
                 input: {$filter: {
                   input: {$map: {
                     input: {$objectToArray: '$updateDescription.updatedFields'},
                     as: 'change',
                     in: {k: '$$change.k', v: '$$change.v', now: %s}}},
                   as: 'change',
                   cond: {$and: [
                     {$ne: [{$type: '$$change.now.v'}, 'missing']},
                     {$eq: ['$$change.now.v', '$$change.v']}]}}},
                 as: 'change',
                 in: {k: '$$change.k', v: '$$change.now.v'}}}},
               removedFields: []},
              '$$REMOVE']}""".formatted(NOW_AT_PATH));

    private ShownChanges() {}

    /// For documents as they were right after the update: all of it, unless there is no such document.
    static BsonDocument ofImages() {
        return new BsonDocument(
                "$cond",
                new BsonArray(List.of(
                        BsonDocument.parse("{$eq: [{$type: '$fullDocument'}, 'object']}"),
                        new BsonString("$updateDescription"),
                        NOW)));
    }
}
