# What a shell line gets for an editor: a quick, readable no. Runs as: sh no_editor.sh FILE
echo "NeoCode: no editor can be opened here. Give the text on the command line (git: -m, -F, --no-edit)." >&2
exit 1
