"""Every file of src/ and apps/ includes what it uses: for each name of the standard library and of heed, a header that declares it.

What a .cpp uses may stand in the header of the same name. So a header can lose an include, and no other file notices.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A name that several headers declare stands after each of them.
STANDARD = {header: names.split() for header, names in {
    "algorithm": """all_of any_of none_of find find_if find_if_not find_first_of count count_if mismatch equal search copy copy_n copy_if
        copy_backward move_backward transform replace replace_if fill fill_n generate generate_n remove_if remove_copy_if unique
        reverse rotate partition stable_partition sort stable_sort partial_sort nth_element is_sorted lower_bound upper_bound
        equal_range binary_search merge includes set_union set_intersection set_difference make_heap push_heap pop_heap
        min max minmax min_element max_element minmax_element clamp lexicographical_compare next_permutation for_each
        ranges::sort ranges::stable_sort ranges::find ranges::find_if ranges::all_of ranges::any_of ranges::none_of
        ranges::count ranges::count_if ranges::copy ranges::fill ranges::max_element ranges::min_element ranges::max
        ranges::min ranges::reverse ranges::transform ranges::replace ranges::equal ranges::lower_bound ranges::upper_bound
        ranges::contains ranges::binary_search ranges::is_sorted ranges::unique ranges::for_each ranges::partition""",
    "any": "any any_cast",
    "array": "array to_array",
    "atomic": "atomic atomic_flag memory_order_relaxed memory_order_acquire memory_order_release",
    "bit": "bit_cast bit_ceil bit_width countr_zero countl_zero popcount endian has_single_bit rotl",
    "bitset": "bitset",
    "charconv": "from_chars to_chars from_chars_result",
    "chrono": "chrono",
    "cmath": """abs sqrt exp exp2 expm1 log log2 log10 log1p pow floor ceil round lround llround trunc isfinite isnan isinf tanh
        sin cos lgamma erf fabs fmod hypot ldexp frexp nearbyint rint copysign cbrt atan acos fma""",
    "compare": "strong_ordering weak_ordering partial_ordering",
    "condition_variable": "condition_variable cv_status",
    "csignal": "signal sig_atomic_t raise",
    "cstddef": "size_t ptrdiff_t byte nullptr_t max_align_t",
    "cstdint": "uintptr_t intptr_t",
    "cstdio": "snprintf fprintf fopen fclose fread fwrite FILE fflush fputs fgets fileno perror rename remove",
    "cstdlib": "getenv abort exit _Exit strtol strtod strtoll strtoull free malloc realpath atexit quick_exit",
    "cstring": "memcpy memcmp memset memchr memmove strlen strcmp strncmp strerror strchr strrchr",
    "ctime": "time_t tm time strftime gmtime localtime",
    "deque": "deque",
    "exception": "exception exception_ptr current_exception rethrow_exception uncaught_exceptions terminate make_exception_ptr",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream filebuf",
    "functional": "function hash greater less plus multiplies reference_wrapper ref cref invoke bind_front equal_to minus logical_or",
    "future": "future promise async packaged_task",
    "initializer_list": "initializer_list",
    "iomanip": "setw setprecision setfill",
    "iostream": "cout cerr cin clog",
    "istream": "istream ws",
    "iterator": "back_inserter inserter istream_iterator istreambuf_iterator ostream_iterator make_move_iterator move_iterator",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": """unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this static_pointer_cast addressof
        dynamic_pointer_cast default_delete align""",
    "mutex": "mutex lock_guard unique_lock scoped_lock recursive_mutex once_flag call_once timed_mutex",
    "new": "bad_alloc align_val_t",
    "numbers": "numbers",
    "numeric": "accumulate iota reduce inner_product partial_sum exclusive_scan inclusive_scan gcd lcm midpoint transform_reduce",
    "optional": "optional nullopt make_optional",
    "ostream": "ostream endl flush",
    "queue": "queue priority_queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution normal_distribution random_device",
    "ranges": "views ranges::subrange ranges::iota_view ranges::range",
    "regex": "regex smatch cmatch regex_match regex_search regex_replace sregex_iterator",
    "set": "set multiset",
    "shared_mutex": "shared_mutex shared_lock",
    "span": "span as_bytes",
    "sstream": "ostringstream istringstream stringstream",
    "stdexcept": "runtime_error logic_error invalid_argument out_of_range length_error domain_error range_error overflow_error",
    "string": "string to_string getline stoi stol stoll stod stof stoul stoull u32string u16string basic_string char_traits",
    "string_view": "string_view u32string_view basic_string_view u16string_view",
    "system_error": "system_error error_code system_category generic_category errc make_error_code",
    "thread": "thread this_thread jthread",
    "tuple": "tuple tie get make_tuple apply forward_as_tuple tuple_size_v ignore",
    "type_traits": """is_same_v is_enum_v conditional_t decay_t enable_if_t remove_cvref_t is_trivially_copyable_v is_floating_point_v
        is_integral_v underlying_type_t invoke_result_t is_base_of_v remove_reference_t is_invocable_v false_type true_type
        is_unsigned_v make_unsigned_t is_arithmetic_v is_signed_v remove_const_t is_convertible_v type_identity_t""",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "pair move swap exchange forward make_pair as_const index_sequence make_index_sequence unreachable declval in_place",
    "variant": "variant visit holds_alternative get_if monostate",
    "vector": "vector",
}.items()}
# Headers that are said to declare what others do as well.
ALSO = {
    "size_t": "cstdio cstdlib cstring ctime", "abs": "cstdlib", "swap": "string_view", "get": "array utility variant",
    "hash": "string optional memory system_error", "less": "map set", "remove": "algorithm", "exception": "stdexcept system_error",
    "bad_alloc": "memory", "ostream": "iostream sstream fstream", "istream": "iostream sstream fstream", "time_t": "chrono",
    "endl": "iostream", "flush": "iostream", "getline": "istream sstream", "errc": "charconv", "pair": "map unordered_map",
    "cv_status": "mutex", "tuple_size_v": "array utility", "mutex": "condition_variable", "string": "sstream", "initializer_list": "vector string",
    "back_inserter": "string vector", "declval": "type_traits", "error_code": "filesystem", "nullptr_t": "memory",
}
HEADERS = {}
for header, names in STANDARD.items():
    for name in names:
        HEADERS.setdefault(name, set()).update({header, *ALSO.get(name, "").split()})
INTEGER = re.compile(r"\bu?int(?:8|16|32|64)_t\b")


def code_of(text):
    """C++ without comments, and with empty strings."""
    blank = (r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"' + r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'")
    return re.sub(blank, lambda found: '""' if found.group()[0] in "\"R'" else " ", text, flags=re.S)


def includes_of(text):
    return set(re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, flags=re.M))


def exports_of(text):
    """The headers that a header is there to bring, as the programs that check includes want it marked."""
    return set(re.findall(r'^#include "([^"]+)"  // IWYU pragma: export', text, flags=re.M))


def declarations(text):
    """(namespace, name, kind) of what a file declares in namespaces of heed, outside classes and functions."""
    code = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", code_of(text), flags=re.M)
    code = re.sub(r"^HEED_ENUM\((\w+),(?:[^()]|\([^()]*\))*\)", r"enum class \1 {};", code, flags=re.M)
    spaces, depth, statement = [], 0, ""
    for token in re.findall(r"\w+|::|[^\w\s]", code):
        if depth or token == "}" and spaces:
            if depth:
                depth += (token == "{") - (token == "}")
            else:
                spaces.pop()
            statement = ""
        elif token == "{" and (opened := re.match(r"(?:inline )?namespace ((?:\w|:| )*)$", statement)):
            spaces.append(opened[1].replace(" ", "").split("::"))
            statement = ""
        else:
            statement += token + " "
            if token in "{;":
                if spaces and spaces[0][0] == "heed":
                    yield from ((spaces[-1][-1], *declared) for declared in declared_by(statement))
                depth += token == "{"
                statement = ""


def declared_by(statement):
    statement = re.sub(r"\[ \[.*?\] \] ", "", statement)
    while (shorter := re.sub(r"< [^<>]*> ", "", statement)) != statement:  # arguments of templates
        statement = shorter
    statement = re.sub(r"^(?:(?:template|inline|constexpr|extern|static|constinit|;) )*", "", statement)
    if found := re.match(r"(?:class|struct) (\w+) ;", statement):
        yield found[1], "forward"
    elif found := re.match(r"(?:class|struct|union|enum class|enum|using|concept) (\w+) [=:;{f]", statement):
        yield found[1], "type"
    elif found := re.match(r"(?!using |friend |static_assert |typedef )[^(=]*?\b(\w+) \(", statement):
        yield found[1], "function"
    else:
        for name in re.findall(r"\b(k[A-Z]\w*) [={\[;,]", statement):
            yield name, "constant"


class Names:
    """Which headers of src/ and apps/ declare a name, by (namespace, name)."""

    def __init__(self, files):
        self.headers, self.forward, self.functions = {}, {}, set()
        self.includes = {path: includes_of(text) for path, text in files.items()}
        self.exports = {path: exports_of(text) for path, text in files.items()}
        for path, text in files.items():
            if not path.endswith(".h"):
                continue
            declared = set(declarations(text))
            for table in includes_of(text) & files.keys():
                if table.endswith(".def"):  # a macro makes declarations of its lines
                    lines = re.findall(r"^HEED_\w+\((\w+)", files[table], flags=re.M)
                    declared |= {(space, line, "function") for space in {space for space, _, _ in declared} for line in lines}
            for space, name, kind in declared:
                (self.forward if kind == "forward" else self.headers).setdefault((space, name), set()).add(path)
                if kind == "function":
                    self.functions.add((space, name))
        self.spaces = {space for space, _ in self.headers} - {"heed", "detail"}

    def closure(self, headers, edges):
        while more := set().union(*(edges.get(header, set()) for header in headers)) - headers:
            headers = headers | more
        return headers

    def missing(self, path, text, own=""):
        """The names that a file uses, and of which neither it nor `own`, the header of its name, includes a header: {name: headers}."""
        code = re.sub(r"^\s*#\s*include[^\n]*", "", code_of(text), flags=re.M)
        there = self.closure(includes_of(text) | includes_of(own) | {path, re.sub(r"[.]cpp$", ".h", path)}, self.exports)
        reached = self.closure(there, self.includes)
        wanted = {}
        for name in re.findall(r"\bstd::(ranges::\w+|\w+)", code):
            if found := HEADERS.get(name) or HEADERS.get(name.partition("::")[0]):
                wanted["std::" + name] = found
        if integer := INTEGER.search(code):
            wanted[integer.group()] = {"cstdint"}
        mine = list(declarations(text))
        known = {name for _, name, kind in mine if kind != "forward"}
        known |= set(re.findall(r"(?:class|struct|enum|union|using|typename) (\w+) *[^\w; ]", code)) | set(re.findall(r"using [\w:]+::(\w+);", code))
        known |= set(re.findall(r"(?:constexpr|const|auto) [^;(){}]*\b(k[A-Z]\w*)\b", code)) | set(re.findall(r"#define (\w+)", code))
        inside = {"heed"} | {part for space in re.findall(r"\bnamespace heed((?:::\w+)*)", code) for part in space.split("::")[1:]}
        used = {(space, name): f"{space}::{name}" for space, name in re.findall(r"(?<![\w:])(?:heed::)?(\w+)::(\w+)", code)
                if space in self.spaces}
        for name in set(re.findall(r"(?<![\w:.>])([A-Z]\w+|k[A-Z]\w+)\b", code)) - known:
            used |= {(space, name): name for space in inside if (space, name) not in self.functions}
        for key, name in used.items():
            found = self.headers.get(key)
            # Who only hands a class on needs no more than its declaration.
            declared = self.forward.get(key, set()) & (there if path.endswith(".h") or found and not found & reached else {path})
            if found and not declared:
                wanted[name] = found
        return {name: found for name, found in wanted.items() if not found & there}


def sources():
    files = {}
    for folder in (ROOT / "src", ROOT / "apps"):
        for path in folder.rglob("*"):
            if path.suffix in (".h", ".cpp", ".def"):
                files[path.relative_to(ROOT / "src" if folder.name == "src" else ROOT).as_posix()] = path.read_text(encoding="utf-8")
    return files


class Includes(unittest.TestCase):
    maxDiff = None

    def test_every_file_includes_what_it_uses(self):
        files = sources()
        names = Names(files)
        self.assertGreater(len(names.headers), 1500)
        faults = []
        read = set()
        for path in [path for path in files if path.endswith(".h")]:
            for table in includes_of(files[path]) & files.keys():
                if table.endswith(".def"):  # it includes nothing: what its lines use is for the header that makes declarations of them
                    files[path] += files[table]
                    read.add(table)
        for path, text in sorted(files.items()):
            if path in read:
                continue
            own = files.get(re.sub(r"[.]cpp$", ".h", path), "") if path.endswith(".cpp") else ""
            for name, headers in sorted(names.missing(path, text, own).items()):
                faults.append(f"{path} uses {name} and does not include {' or '.join(sorted(headers))}")
        self.assertEqual([], faults)

    def test_what_is_missing_is_found(self):
        files = {
            "text/a.h": "#include <string>\nnamespace heed::text {\nclass Reader { void read(); };\nint count(const Reader&);\n"
                        "inline constexpr int kMost = 5;\nHEED_ENUM(Side, (left, \"\"))\nstruct Row {};\n}",
            "text/all.h": '#include "text/a.h"  // IWYU pragma: export\nnamespace heed::text { struct Line {}; }',
            "text/b.h": "namespace heed::text { int count(); class Reader; }",
        }
        names = Names(files)
        missing = names.missing("data/d.cpp", "// std::map\nnamespace heed::data { text::Reader r; std::string s; auto m = text::kMost; }")
        self.assertEqual({"text::Reader": {"text/a.h"}, "std::string": {"string", "sstream"}, "text::kMost": {"text/a.h"}}, missing)
        self.assertEqual({}, names.missing("data/d.cpp", '#include "text/all.h"\n#include <string>\ntext::Side s; text::Row r; std::string t;'))
        self.assertEqual({}, names.missing("text/a.cpp", "namespace heed::text { Reader r; std::string s; }", files["text/a.h"]))
        self.assertEqual(["Line", "std::sort"], sorted(names.missing("text/c.cpp", "namespace heed::text { Line l; void f() { std::sort(); } }")))
        self.assertEqual({}, names.missing("data/c.cpp", "namespace heed::data { Line l; } // another one"))
        self.assertEqual({}, names.missing("text/c.cpp", "namespace heed::text { namespace { struct Line { int i; }; } Line l; }"))


if __name__ == "__main__":
    unittest.main()
