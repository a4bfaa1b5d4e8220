import { FILES } from './candidates.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

/** The script of each shell. It passes the words up to the cursor to `petstore __complete`. */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# Completion of petstore for bash: eval "$(petstore completion bash)"
_petstore() {
  local line="\${COMP_LINE:0:COMP_POINT}" current found prefix='' cut='' mark part
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  current="\${words[\${#words[@]}-1]}"
  found="$(petstore __complete -- "\${words[@]:1}" 2>/dev/null | cut -f1)"
  if [[ "$found" == ${FILES} ]]; then
    [[ "$current" == --*=* ]] && prefix="\${current%%=*}="
    [[ "\${current#"$prefix"}" == @* ]] && prefix="$prefix@"
    COMPREPLY=($(compgen -f -P "$prefix" -- "\${current#"$prefix"}"))
  else
    COMPREPLY=($(compgen -W "$found" -- "$current"))
  fi
  # Bash replaces only the text after the last ':' or '=', if COMP_WORDBREAKS contains it.
  for mark in ':' '='; do
    if [[ "$COMP_WORDBREAKS" == *"$mark"* && "$current" == *"$mark"* ]]; then
      part="\${current%"\${current##*"$mark"}"}"
      (( \${#part} > \${#cut} )) && cut="$part"
    fi
  done
  COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
}
complete -F _petstore petstore
`,
  zsh: `#compdef petstore
# Completion of petstore for zsh: source <(petstore completion zsh)
_petstore() {
  local word
  local -a lines found
  lines=("\${(@f)$(petstore __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${lines[1]}" == ${FILES} ]]; then
    compset -P '*='
    compset -P '@'
    _files
    return
  fi
  for word in "\${lines[@]}"; do
    [[ -n "$word" ]] && found+=("\${\${word%%$'\\t'*}//:/\\\\:}:\${word#*$'\\t'}")
  done
  _describe petstore found
}
if [[ "\${funcstack[1]}" == _petstore ]]; then _petstore "$@"; else compdef _petstore petstore; fi
`,
  fish: `# Completion of petstore for fish: petstore completion fish | source
function __petstore_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l lines (petstore __complete -- $words[2..-1] 2>/dev/null)
  if test "$lines[1]" = ${FILES}
    set -l prefix (string match -r '^(?:--[^=]*=)?@?' -- (commandline -ct))
    set -l path (string replace -- "$prefix" '' (commandline -ct))
    for found in (__fish_complete_path $path)
      printf '%s%s\\n' $prefix $found
    end
  else
    printf '%s\\n' $lines
  end
end
complete -c petstore -f -a '(__petstore_complete)'
`,
}
