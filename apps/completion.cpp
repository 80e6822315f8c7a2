// heed completion SHELL: what a shell needs to complete heed's commands and options, and the manual
// page, made from the table of commands.
#include <iostream>
#include <memory>

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

/// In double quotes of a POSIX shell.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '$' || c == '`' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return '"' + out + '"';
}

/// A case for each command, and for each one inside it, with the words that fit there.
std::string bash_cases(const CommandTree& program) {
  std::string cases;
  for (const CommandTree& command : program.commands) {
    cases += "    " + command.name + ")\n";
    if (!command.commands.empty()) {
      cases +=
          "      if [ \"$COMP_CWORD\" -eq 2 ]; then words=" + quoted(names_of(command.commands)) +
          "; else\n      case ${COMP_WORDS[2]} in\n";
      for (const CommandTree& below : command.commands)
        cases += "        " + below.name + ") words=" + quoted(flags_of(below)) + " ;;\n";
      cases += "      esac; fi ;;\n";
    } else {
      cases += "      words=" + quoted(flags_of(command)) + " ;;\n";
    }
  }
  return cases;
}

std::string bash(const CommandTree& program) {
  return "# Completion of heed for bash: heed completion bash > "
         "~/.local/share/bash-completion/completions/heed\n"
         "_heed() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W " +
         quoted(names_of(program.commands) + " " + flags_of(program)) +
         " -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         bash_cases(program) +
         "  esac\n"
         "  # Files where no option is begun; commands inside a command have no files before "
         "them.\n"
         "  if [ \"${word#-}\" != \"$word\" ] || [ \"${words#-}\" = \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _heed heed\n";
}

std::string zsh(const CommandTree& program) {
  return "#compdef heed\n"
         "# Completion of heed for zsh: heed completion zsh > FOLDER/_heed, a folder of $fpath.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(program);
}

std::string fish_options(const CommandTree& command, const std::string& condition) {
  std::string out;
  for (const Option& option : command.options) {
    if (option.by_place()) continue;
    out += "complete -c heed -n " + quoted(condition);
    for (const std::string& name : option.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) out += " -r";
    out += " -d " + quoted(option.help) + "\n";
  }
  return out;
}

std::string fish(const CommandTree& program) {
  std::string out =
      "# Completion of heed for fish: heed completion fish > "
      "~/.config/fish/completions/heed.fish\n" +
      fish_options(program, "__fish_use_subcommand");
  for (const CommandTree& command : program.commands) {
    out += "complete -c heed -f -n \"__fish_use_subcommand\" -a " + command.name + " -d " +
           quoted(command.description) + "\n";
    const std::string inside = "__fish_seen_subcommand_from " + command.name;
    for (const CommandTree& below : command.commands) {
      out += "complete -c heed -f -n " + quoted(inside) + " -a " + below.name + " -d " +
             quoted(below.description) + "\n";
      out += fish_options(below, inside + "; and __fish_seen_subcommand_from " + below.name);
    }
    out += fish_options(command, inside);
  }
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
  CommandLine command = program.command(
      "completion", "Completion of commands and options for a shell, or the manual page");
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
