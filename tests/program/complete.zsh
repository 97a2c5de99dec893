# complete.zsh FOLDER LINE: the line as zsh completes it at its end, with the completion _statewire of the folder.
zmodload zsh/zpty || exit 2
zpty shell zsh -f -i
# reads until a line that holds $1
await() { while zpty -r shell answer; do [[ $answer == *"$1"* ]] && return; done }
zpty -w shell "fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
zpty -w shell 'show() { zle complete-word; print -r -- "<begin>$BUFFER<end>" }; zle -N show; bindkey "^T" show; print -r -- rea""dy'
await ready
zpty -w -n shell "$2"$'\C-t'
await '<end>'
answer=${answer##*'<begin>'}
print -r -- ${answer%'<end>'*}
zpty -d shell
