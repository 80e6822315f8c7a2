// heed completion SHELL: what a shell needs to complete heed's commands and options, and the manual
// page, made from the table of commands.
#include <iostream>

#include "apps/commands.h"
#include "base/strings.h"

namespace heed {
namespace {

using Option = CommandTree::Option;

/// All names that begin with a dash.
std::string flags_of(const CommandTree& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options)
    if (!option.by_place()) names.insert(names.end(), option.names.begin(), option.names.end());
  return join(names, " ");
}

std::string names_of(const std::vector<CommandTree>& commands) {
  std::vector<std::string> names;
  for (const CommandTree& command : commands) names.push_back(command.name);
  return join(names, " ");
}

/// Calls visit(command, path) for each command and each one inside it: "curves", "bench train".
template <class Visit>
void for_each_command(const CommandTree& program, Visit visit) {
  for (const CommandTree& command : program.commands) {
    visit(command, command.name);
    for (const CommandTree& below : command.commands) visit(below, command.name + " " + below.name);
  }
}

/// What may stand where no option is begun: commands inside it, or the words of its first argument.
std::string words_of(const CommandTree& command) {
  if (!command.commands.empty()) return names_of(command.commands);
  for (const Option& option : command.options)
    if (option.by_place()) return join(option.choices, " ");
  return "";
}

/// The commands that have others inside them.
std::vector<std::string> parents_of(const CommandTree& program) {
  std::vector<std::string> parents;
  for (const CommandTree& command : program.commands)
    if (!command.commands.empty()) parents.push_back(command.name);
  return parents;
}

/// The program's own options that take a value: what stands behind them is no command.
std::vector<std::string> taking_values(const CommandTree& program) {
  std::vector<std::string> names;
  for (const Option& option : program.options)
    if (!option.value.empty()) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// Cases of what stands before the word: the option's values, or files where it has no list.
/// `path`: the command; "" for the program, whose options may stand behind any.
std::string bash_values(const CommandTree& command, const std::string& path) {
  std::string cases;
  for (const Option& option : command.options) {
    if (option.by_place() || option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names)
      patterns.push_back((path.empty() ? "*\" " : "\"" + path + " ") + name + "\"");
    cases += "    " + join(patterns, " | ") + ") offered=\"" + join(option.choices, " ") +
             "\" some=1 ;;\n";
  }
  return cases;
}

std::string bash(const CommandTree& program) {
  std::string values = bash_values(program, ""), words;
  for_each_command(program, [&](const CommandTree& command, const std::string& path) {
    values += bash_values(command, path);
    words += "    \"" + path + "\") offered=\"" + words_of(command) + "\" flags=\"" +
             flags_of(command) + "\" ;;\n";
  });
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
         join(taking_values(program), " | ") +
         ") i=$((i + 1)); if [ \"${COMP_WORDS[i]}\" = \"=\" ]; then i=$((i + 1)); fi ;;\n"
         "      -*) ;;\n"
         "      *)\n"
         "        command=\"$command${command:+ }${COMP_WORDS[i]}\"\n"
         "        case $command in " +
         join(parents_of(program), " | ") +
         ") ;; *) break ;; esac ;;\n"
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
         names_of(program.commands) + " " + flags_of(program) + "\" ;;\n" + words +
         "  esac\n"
         "  if [ \"${word#-}\" != \"$word\" ]; then offered=\"$offered $flags\"; fi\n"
         "  COMPREPLY=($(compgen -W \"$offered\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _heed heed\n";
}

std::string zsh(const CommandTree& program) {
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

/// `path`: the command, "" for the program.
std::string fish_options(const CommandTree& command, const std::string& path) {
  const std::string begin = "complete -c heed -n " + fish_quoted("__heed_at " + path);
  std::string out;
  for (const Option& option : command.options) {
    const std::string choices =
        option.choices.empty() ? "" : " -a " + fish_quoted(join(option.choices, " "));
    if (option.by_place()) {
      if (!choices.empty()) out += begin + " -f" + choices + "\n";
      continue;
    }
    out += begin;
    for (const std::string& name : option.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) out += choices.empty() ? " -r" : " -x" + choices;
    out += " -d " + fish_quoted(option.help) + "\n";
  }
  for (const CommandTree& below : command.commands)
    out += begin + " -f -a " + below.name + " -d " + fish_quoted(below.description) + "\n";
  return out;
}

std::string fish(const CommandTree& program) {
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
      join(taking_values(program), " ") +
      "\n"
      "            set skip yes\n"
      "        else if not string match -q -- '-*' $word\n"
      "            set -a command $word\n"
      "            contains -- \"$command\" " +
      join(parents_of(program), " ") +
      "; or break\n"
      "        end\n"
      "    end\n"
      "    test \"$command\" = \"$argv\"\n"
      "end\n" +
      fish_options(program, "");
  for_each_command(program, [&](const CommandTree& command, const std::string& path) {
    out += fish_options(command, path);
  });
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

std::string manual_options(const CommandTree& command) {
  std::string out;
  for (const Option& option : command.options) {
    out +=
        ".TP\n.B " + roff(join(option.names, ", ")) +
        (option.value.empty() || option.by_place() ? "" : " \\fI" + roff(option.value) + "\\fR") +
        "\n" + roff(option.help.empty() ? "See --help." : option.help) + "\n";
  }
  return out;
}

std::string manual_command(const CommandTree& command, const std::string& name) {
  std::string out =
      ".SS heed " + roff(name) + "\n" + roff(command.description) + ".\n" + manual_options(command);
  if (!command.examples.empty())
    out += ".PP\n.nf\n" + roff(std::string(trim(command.examples))) + "\n.fi\n";
  for (const CommandTree& below : command.commands)
    out += manual_command(below, name + " " + below.name);
  return out;
}

std::string manual(const CommandTree& program) {
  std::string out = ".TH HEED 1 \"\" \"heed " HEED_VERSION
                    "\" \"User Commands\"\n.SH NAME\nheed \\- neural machine translation: train, "
                    "translate, see what attention does\n.SH SYNOPSIS\n.B heed\n\\fICOMMAND\\fR "
                    "[\\fIoptions\\fR]\n.SH OPTIONS\n" +
                    manual_options(program) + ".SH COMMANDS\n";
  for (const CommandTree& command : program.commands) out += manual_command(command, command.name);
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
    const CommandTree tree = command.whole_program();
    std::cout << (*kind == "bash"   ? bash(tree)
                  : *kind == "zsh"  ? zsh(tree)
                  : *kind == "fish" ? fish(tree)
                                    : manual(tree));
  });
}

}  // namespace heed
