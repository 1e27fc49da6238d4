package org.restheart.bson.fields;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.restheart.text.Words;

/// The stages, operators and variables that MongoDB 6.0 to 8.0 document, and a few later ones of which is known what
/// they read. All checks of queries ask here, and allow what is listed: a name that a later release introduces is
/// closed until it is added.
public final class Operators {
    /// Where a name stands in a query.
    public enum Place {
        /// A stage of a pipeline.
        STAGE(Operators.STAGES),
        /// An operator of a filter.
        QUERY(Operators.QUERY),
        /// An operator of an expression, an accumulator, or a window function; also in projections and sorts.
        EXPRESSION(Operators.EXPRESSION),
        /// A variable of MongoDB, without its `$$`.
        VARIABLE(Operators.VARIABLES),
        /// An operator of an update, or one of its modifiers.
        UPDATE(Operators.UPDATE);

        @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable set of texts
        private final Set<String> known;

        Place(Set<String> known) {
            this.known = known;
        }

        /// The names that are known.
        public Set<String> known() {
            return known;
        }
    }

    /// Operators that run code in the database.
    public static final Set<String> CODE = Set.of("$where", "$function", "$accumulator");

    /// The operators whose result depends on nothing but their operands, field paths and variables in them included.
    public static final Set<String> PURE = Words.of("""
        $abs $acos $acosh $add $addToSet $allElementsTrue $and $anyElementTrue $arrayElemAt $arrayToObject $asin
        $asinh $atan $atan2 $atanh $avg $binarySize $bitAnd $bitNot $bitOr $bitXor $bsonSize $ceil $cmp $concat
        $concatArrays $cond $convert $cos $cosh $count $covariancePop $covarianceSamp $dateAdd $dateDiff
        $dateFromParts $dateFromString $dateSubtract $dateToParts $dateToString $dateTrunc $dayOfMonth $dayOfWeek
        $dayOfYear $degreesToRadians $denseRank $derivative $divide $documentNumber $eq $exp $expMovingAvg $filter
        $first $firstN $floor $gt $gte $hour $ifNull $in $indexOfArray $indexOfBytes $indexOfCP $integral $isArray
        $isNumber $isoDayOfWeek $isoWeek $isoWeekYear $last $lastN $let $linearFill $literal $ln $locf $log $log10
        $lt $lte $ltrim $map $max $maxN $median $mergeObjects $millisecond $min $minN $minMaxScaler $minute $mod
        $month $multiply $ne $not $objectToArray $or $percentile $pow $push $radiansToDegrees $rand $range $rank
        $reduce $regexFind $regexFindAll $regexMatch $replaceAll $replaceOne $reverseArray $round $rtrim
        $sampleRate $second $setDifference $setEquals $setIntersection $setIsSubset $setUnion $shift $sigmoid $sin
        $sinh $size $slice $sortArray $split $sqrt $stdDevPop $stdDevSamp $strLenBytes $strLenCP $strcasecmp
        $substr $substrBytes $substrCP $subtract $sum $switch $tan $tanh $toBool $toDate $toDecimal $toDouble
        $toHashedIndexKey $toInt $toLong $toLower $toObjectId $toString $toUUID $toUpper $trim $trunc $tsIncrement
        $tsSecond $type $week $year $zip\
        """);

    /// Operators whose result changes although the document does not.
    public static final Set<String> CHANGING = Set.of("$rand", "$sampleRate");

    /// Operators that are given a field's name as text, run code or return metadata; `$elemMatch` is one of
    /// projections.
    private static final Set<String> READING = Words.of("""
        $accumulator $bottom $bottomN $const $elemMatch $function $getField $meta $setField $top $topN
        $unsetField\
        """);

    /// Placeholders among the stages of stored queries: `[names, stage, otherwise]`.
    static final Set<String> CHOICES = Set.of("$ifvar", "$ifarg");

    /// The placeholders of stored queries, which are replaced before MongoDB gets them.
    static final Set<String> PLACEHOLDERS = Set.of("$var", "$ifvar", "$arg", "$ifarg", "$fk");

    /// Types of Extended JSON in which a placeholder may stand.
    public static final Set<String> TYPES = Words.of("""
        $date $numberDecimal $numberDouble $numberInt $numberLong $oid $uuid\
        """);

    /// What depends on other documents than that for which it is evaluated, or on the server: the number of a record,
    /// for example, counts all inserts before it.
    public static final Set<String> METADATA = Set.of("$meta", "SEARCH_META", "USER_ROLES");

    /// Operators at the top of a filter.
    public static final Set<String> TOP_OF_FILTER = Words.of("""
        $and $or $nor $expr $where $text $comment $jsonSchema $sampleRate $alwaysTrue $alwaysFalse\
        """);

    /// Operators of a condition on a field. The references of `DBRef` are values.
    public static final Set<String> CONDITIONS = Words.of("""
        $eq $ne $gt $gte $lt $lte $in $nin $not $exists $type $mod $regex $options $all $elemMatch $size
        $bitsAllClear $bitsAllSet $bitsAnyClear $bitsAnySet $geoIntersects $geoWithin $within $near $nearSphere
        $minDistance $maxDistance $uniqueDocs $geometry $comment $ref $id $db\
        """);

    /// Options of operators of filters, and the sort in the order of storage.
    private static final Set<String> OPTIONS = Words.of("""
        $box $center $centerSphere $polygon $search $language $caseSensitive $diacriticSensitive $natural\
        """);

    /// Stages whose results depend on their input only.
    public static final Set<String> PURE_STAGES = Words.of("""
        $addFields $bucket $bucketAuto $count $densify $facet $fill $group $limit $match $project $redact
        $replaceRoot $replaceWith $sample $set $setWindowFields $skip $sort $sortByCount $unset $unwind\
        """);

    /// Stages that must be first, and read the collection by an index.
    public static final Set<String> SEARCH_STAGES = Set.of("$geoNear", "$search", "$searchMeta", "$vectorSearch");

    /// Stages that read other collections.
    public static final Set<String> JOIN_STAGES =
            Words.of("$documents $graphLookup $lookup $rankFusion $scoreFusion $unionWith");

    /// Stages that read what is no document of a collection.
    private static final Set<String> INFORMING_STAGES = Words.of("""
        $collStats $currentOp $indexStats $listCatalog $listClusterCatalog $listLocalSessions $listSampledQueries
        $listSearchIndexes $listSessions $planCacheStats $querySettings $queryStats $shardedDataDistribution\
        """);

    /// Stages that end, and write nothing.
    public static final Set<String> READING_STAGES =
            union(List.of(PURE_STAGES, SEARCH_STAGES, JOIN_STAGES, INFORMING_STAGES));

    private static final Set<String> OTHER_STAGES = Words.of("$changeStream $changeStreamSplitLargeEvent $merge $out");

    /// The stages of an update.
    public static final Set<String> UPDATE_STAGES =
            Words.of("$addFields $project $replaceRoot $replaceWith $set $unset");

    private static final Set<String> STAGES = union(List.of(READING_STAGES, OTHER_STAGES, PLACEHOLDERS));

    private static final Set<String> QUERY = union(List.of(TOP_OF_FILTER, CONDITIONS, OPTIONS, PLACEHOLDERS));

    private static final Set<String> EXPRESSION = union(List.of(PURE, READING, PLACEHOLDERS));

    private static final Set<String> VARIABLES =
            Words.of("CLUSTER_TIME CURRENT DESCEND KEEP NOW PRUNE REMOVE ROOT SEARCH_META USER_ROLES");

    /// Operators of an update.
    public static final Set<String> CHANGES = Words.of("""
        $inc $mul $rename $setOnInsert $set $unset $min $max $currentDate $addToSet $pop $pullAll $pull $push $bit\
        """);

    /// Modifiers, and what former versions knew, which MongoDB refuses with its own message.
    private static final Set<String> MODIFIERS =
            Words.of("$each $position $slice $sort $type $pushAll $isolated $ $[]");

    private static final Set<String> UPDATE = union(List.of(CHANGES, MODIFIERS));

    private Operators() {}

    private static Set<String> union(List<Set<String>> sets) {
        return sets.stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
    }

    /// Whether the operator of expressions computes its result from its operands alone.
    static boolean isPure(String name) {
        return PURE.contains(name);
    }

    /// Whether a name is one of the operators and stages that MongoDB's processes use among themselves: they
    /// read fields by other names, run code, and are not protected against arguments that clients choose.
    public static boolean isInternal(String name) {
        return name.startsWith("$_");
    }
}
