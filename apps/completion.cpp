// heed completion SHELL: what a shell needs to complete heed's commands and options, and the manual
// page, made from the table of commands.
#include <CLI/CLI.hpp>
#include <iostream>

#include "apps/commands.h"
#include "base/strings.h"

namespace heed {
namespace {

using Names = std::vector<std::string>;

/// "-o", "--output"; without dashes it is told by its place.
Names names_of(const CLI::Option& option) {
  Names names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name());
  return names;
}

/// What it takes; empty for a flag.
std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0 || option.get_type_size() == 0) return "";
  return option.get_type_name().empty() ? "VALUE" : option.get_type_name();
}

/// one_of(), which CLI11 keeps as it shows it: "TEXT:{updates,minutes}"; empty where there are
/// none.
Names choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  const std::string inside = type.substr(open + 1, close - open - 1);
  if (inside.find("->") != std::string::npos) return {};  // word()
  return split(inside, ',');
}

/// All names that begin with a dash; or only those that a value follows.
Names flags_of(const CLI::App& command, bool with_values = false) {
  Names flags;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || (with_values && value_of(*option).empty())) continue;
    const Names names = names_of(*option);
    flags.insert(flags.end(), names.begin(), names.end());
  }
  return flags;
}

Names names_of(const std::vector<const CLI::App*>& commands) {
  Names names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

/// What may stand where no option is begun: the words of its first argument.
Names words_of(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) return choices_of(*option);
  return {};
}

/// Cases of what stands before the word: the option's values, or files where it has no list.
/// `typed`: the command; "" for the program, whose options may stand behind any.
std::string bash_values(const CLI::App& command, const std::string& typed) {
  std::string cases;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || value_of(*option).empty()) continue;
    Names patterns = names_of(*option);
    for (std::string& name : patterns)
      name = (typed.empty() ? "*\" " : "\"" + typed + " ") + name + "\"";
    cases += "    " + join(patterns, " | ") + ") offered=\"" + join(choices_of(*option), " ") +
             "\" some=1 ;;\n";
  }
  return cases;
}

std::string bash(const CLI::App& program) {
  std::string values = bash_values(program, ""), words;
  for (const CLI::App* command : program.get_subcommands({})) {
    values += bash_values(*command, command->get_name());
    words += "    \"" + command->get_name() + "\") offered=\"" + join(words_of(*command), " ") +
             "\" flags=\"" + join(flags_of(*command), " ") + "\" ;;\n";
  }
  return "# Completion of heed for bash: heed completion bash > "
         "~/.local/share/bash-completion/completions/heed\n"
         "_heed() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command= offered= flags= some= i\n"
         "  COMPREPLY=()\n"
         "  # --option=value comes as three words.\n"
         "  if [ \"$word\" = \"=\" ]; then word=\n"
         "  elif [ \"$before\" = \"=\" ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      " +
         join(flags_of(program, /*with_values=*/true), " | ") +
         ") i=$((i + 1)); if [ \"${COMP_WORDS[i]}\" = \"=\" ]; then i=$((i + 1)); fi ;;\n"
         "      -*) ;;\n"
         "      *) command=${COMP_WORDS[i]}; break ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $before\" in\n" +
         values +
         "  esac\n"
         "  # Without a list of values there are files.\n"
         "  if [ -n \"$some\" ]; then COMPREPLY=($(compgen -W \"$offered\" -- \"$word\")); return; "
         "fi\n"
         "  case $command in\n"
         "    \"\") offered=\"" +
         join(names_of(program.get_subcommands({})), " ") + " " + join(flags_of(program), " ") +
         "\" ;;\n" + words +
         "  esac\n"
         "  if [ \"${word#-}\" != \"$word\" ]; then offered=\"$offered $flags\"; fi\n"
         "  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _heed heed\n";
}

std::string zsh(const CLI::App& program) {
  return "#compdef heed\n"
         "# Completion of heed for zsh: heed completion zsh > FOLDER/_heed, a folder of $fpath.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(program) +
         "# zsh has read this file because heed is completed for the first time.\n"
         "if [ \"${funcstack[1]}\" = _heed ]; then _bash_complete -o default -F _heed; fi\n";
}

/// In single quotes of fish.
std::string fish_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return '\'' + out + '\'';
}

/// `typed`: the command, "" for the program.
std::string fish_options(const CLI::App& command, const std::string& typed) {
  const std::string begin = "complete -c heed -n " + fish_quoted("__heed_at " + typed);
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    const Names words = choices_of(*option);
    const std::string choices = words.empty() ? "" : " -a " + fish_quoted(join(words, " "));
    if (option->get_positional()) {
      if (!choices.empty()) out += begin + " -f" + choices + "\n";
      continue;
    }
    out += begin;
    for (const std::string& name : names_of(*option))
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!value_of(*option).empty()) out += choices.empty() ? " -r" : " -x" + choices;
    out += " -d " + fish_quoted(option->get_description()) + "\n";
  }
  for (const CLI::App* below : command.get_subcommands({}))
    out += begin + " -f -a " + below->get_name() + " -d " + fish_quoted(below->get_description()) +
           "\n";
  return out;
}

std::string fish(const CLI::App& program) {
  std::string out =
      "# Completion of heed for fish: heed completion fish > "
      "~/.config/fish/completions/heed.fish\n"
      "# Whether this is the command that was typed; none without arguments.\n"
      "function __heed_at\n"
      "    set -l command\n"
      "    set -l skip no\n"
      "    for word in (commandline -opc)[2..-1]\n"
      "        if test $skip = yes\n"
      "            set skip no\n"
      "        else if contains -- $word " +
      join(flags_of(program, /*with_values=*/true), " ") +
      "\n"
      "            set skip yes\n"
      "        else if not string match -q -- '-*' $word\n"
      "            set command $word\n"
      "            break\n"
      "        end\n"
      "    end\n"
      "    test \"$command\" = \"$argv\"\n"
      "end\n" +
      fish_options(program, "");
  for (const CLI::App* command : program.get_subcommands({}))
    out += fish_options(*command, command->get_name());
  return out;
}

/// Text of a manual page: dashes as they are typed, no line that begins like a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string manual_options(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    const std::string value = option->get_positional() ? "" : value_of(*option),
                      help = option->get_description();
    out += ".TP\n.B " + roff(join(names_of(*option), ", ")) +
           (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
           roff(help.empty() ? "See --help." : help) + "\n";
  }
  return out;
}

std::string manual_command(const CLI::App& command) {
  std::string out = ".SS heed " + roff(command.get_name()) + "\n" +
                    roff(command.get_description()) + ".\n" + manual_options(command);
  if (const std::string examples = command.get_footer(); !examples.empty())
    out += ".PP\n.nf\n" + roff(std::string(trim(examples))) + "\n.fi\n";
  return out;
}

std::string manual(const CLI::App& program) {
  std::string out = ".TH HEED 1 \"\" \"heed " HEED_VERSION
                    "\" \"User Commands\"\n.SH NAME\nheed \\- neural machine translation: train, "
                    "translate, see what attention does\n.SH SYNOPSIS\n.B heed\n\\fICOMMAND\\fR "
                    "[\\fIoptions\\fR]\n.SH OPTIONS\n" +
                    manual_options(program) + ".SH COMMANDS\n";
  for (const CLI::App* command : program.get_subcommands({})) out += manual_command(*command);
  return out +
         ".SH EXIT STATUS\n0: done. 1: the environment failed. 2: the user's mistake. 70: a bug.\n";
}

}  // namespace

void add_completion(CommandLine& program) {
  auto kind = std::make_shared<std::string>();
  CommandLine command = program.command("completion");
  command.option("kind", *kind, "bash, zsh, fish or man")
      .required()
      .one_of({"bash", "zsh", "fish", "man"});
  command.examples({"heed completion bash > ~/.local/share/bash-completion/completions/heed",
                    "heed completion man > heed.1"});
  command.run([kind, command] {
    const CLI::App& tree = command.whole_program();
    std::cout << (*kind == "bash"   ? bash(tree)
                  : *kind == "zsh"  ? zsh(tree)
                  : *kind == "fish" ? fish(tree)
                                    : manual(tree));
  });
}

}  // namespace heed
