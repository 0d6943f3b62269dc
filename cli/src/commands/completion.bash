
# Bash cuts a word at : and =, so 2001:db8::1 and --file=NAME come in pieces. They are put together as they stand on the
# line up to the cursor; of an answer, only what stands behind the last cut takes the word's place.
_secmon_whole_words() {
    local line=${COMP_LINE:0:COMP_POINT} blanks piece last=-1 cut="" mark
    local -a whole=()
    for piece in "${COMP_WORDS[@]}"; do
        blanks=${line%%[![:space:]]*}
        if [[ $last -ge 0 && -z $line ]]; then
            break
        fi
        line=${line#"$blanks"}
        if [[ -n $blanks || $last -lt 0 ]]; then
            last=$((last + 1))
            whole[last]=""
        fi
        if [[ $line != "$piece"* ]]; then
            piece=$line
        fi
        whole[last]+=$piece
        line=${line#"$piece"}
    done
    local -a COMP_WORDS=("${whole[@]}")
    local COMP_CWORD=$last current=${whole[last]}
    _clap_complete_secmon "$1" "$current" "$3"
    for mark in : =; do
        if [[ $COMP_WORDBREAKS == *"$mark"* && $current == *"$mark"* ]]; then
            mark=${current%"${current##*"$mark"}"}
            if [[ ${#mark} -gt ${#cut} ]]; then
                cut=$mark
            fi
        fi
    done
    if [[ -n $cut ]]; then
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o nosort -F _secmon_whole_words secmon
else
    complete -o nospace -o bashdefault -F _secmon_whole_words secmon
fi
