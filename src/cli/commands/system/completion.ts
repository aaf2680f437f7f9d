import { command } from '../../command.ts'

/**
 * Each script passes the words before the cursor to `og __complete`, so scripts stay valid across
 * versions. Library names and versions are looked up when the user presses Tab.
 */
const scripts: Readonly<Record<string, string>> = {
  // Readline also splits words at ":" and "=" (COMP_WORDBREAKS) and replaces only the last part, so
  // the part before that is removed from each candidate.
  bash: `_og() {
  local line="\${COMP_LINE:0:COMP_POINT}" part="\${COMP_WORDS[COMP_CWORD]}" word kept rest
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  kept="\${word%"$part"}"
  [[ "$part" == [:=] ]] && kept="$word"
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    COMPREPLY+=("$(printf %q "\${word#"$kept"}")")
  done < <(og __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _og og
`,
  zsh: `#compdef og
_og() {
  local word rest
  local -a found shown
  while IFS=$'\\t' read -r word rest; do
    found+=("$word")
    shown+=("$word  $rest")
  done < <(og __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then
    compadd -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -l -d shown -a found
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _og ]]; then
  _og "$@"
else
  compdef _og og
fi
`,
  fish: `function __og_complete
  set -l before (commandline -opc)
  og __complete -- $before[2..-1] (commandline -ct) 2>/dev/null
end
complete -c og -f -a '(__og_complete)'
complete -c og -n '__fish_seen_subcommand_from add' -s s -l source -r -F
`,
}

export const completion = command({
  name: 'completion',
  summary: 'print the completion script of a shell',
  positionals: { shell: { doc: 'one of', choices: Object.keys(scripts) } },
  examples: [
    'source <(og completion bash)',
    'source <(og completion zsh)',
    'og completion fish | source',
  ],
  async run({ terminal }, { shell }) {
    await terminal.write(scripts[shell]!)
    return 0
  },
})
