"""The database's schema, as steps forward (spec/context 13).

Step n, counted from 0, brings a database from version n to n + 1 (PRAGMA user_version).
A step that was released is never changed; a change is a new step at the end.

messages           message_rows and message_texts together; apart on disk, so that a
                   compaction, which marks a thousand rows, need not write their texts again
messages.seq       order of time within the session (view "full")
messages.position  order of the view "compacted": seq for ordinary messages; a summary
                   takes the place of the first message that it archived
messages.hidden_at when a rewind took the message out, or the undo of its compaction
messages.keyless   the version of the masking rules that found no key in it, or 0: a
                   transcript then masks only the few that hold one
sessions.counters  the remaining fields of SessionState by name, as JSON
shortened          how a message reads in the view "compacted" while the compaction that
                   shortened it holds; the message itself is never changed
file_changes       what our tools did to files, in order; the bytes before lie in the
                   checkpoints folder under before_sha. path: the system's own bytes
message_words      words only, no text: the text is in messages (rowid = messages.number)
"""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        cwd TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        title TEXT NOT NULL,
        first_words TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL,
        agent TEXT NOT NULL,
        message_count INTEGER NOT NULL DEFAULT 0,
        compaction_count INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL,
        counters TEXT NOT NULL,
        task_state TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX sessions_recent ON sessions (updated_at);

    CREATE TABLE message_rows (
        number INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        position INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        role TEXT NOT NULL,
        tool_call_id TEXT,
        tool_name TEXT,
        is_error INTEGER NOT NULL DEFAULT 0,
        is_compaction_summary INTEGER NOT NULL DEFAULT 0,
        compacted_at TEXT,
        compacted_into TEXT,
        hidden_at TEXT,
        keyless INTEGER NOT NULL,
        UNIQUE (session_id, id)
    );
    CREATE UNIQUE INDEX messages_time ON message_rows (session_id, seq);
    CREATE INDEX messages_live ON message_rows (session_id, compacted_at, position);
    CREATE INDEX messages_summaries ON message_rows (session_id, is_compaction_summary)
        WHERE is_compaction_summary;
    CREATE TABLE message_texts (
        number INTEGER PRIMARY KEY REFERENCES message_rows (number) ON DELETE CASCADE,
        tool_calls TEXT,
        metadata TEXT,
        content TEXT NOT NULL,
        images TEXT
    );
    CREATE VIEW messages AS
        SELECT r.number, session_id, id, seq, position, created_at, role, tool_call_id, tool_name,
            is_error, is_compaction_summary, compacted_at, compacted_into, hidden_at, keyless,
            tool_calls, metadata, content, images
        FROM message_rows r JOIN message_texts t ON t.number = r.number;

    CREATE TABLE compactions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        created_at TEXT NOT NULL,
        trigger_mode TEXT NOT NULL,
        strategy TEXT NOT NULL,
        method TEXT NOT NULL,
        model TEXT NOT NULL,
        transcript_id TEXT NOT NULL,
        transcript_path TEXT NOT NULL,
        summary_message_id TEXT NOT NULL,
        archived_ids TEXT NOT NULL,
        task_state_before TEXT NOT NULL,
        task_state_after TEXT NOT NULL,
        counters_before TEXT NOT NULL,
        metrics TEXT NOT NULL,
        undone_at TEXT,
        redo TEXT,
        UNIQUE (session_id, id)
    );

    CREATE TABLE shortened (
        session_id TEXT NOT NULL,
        compaction_id TEXT NOT NULL,
        message_id TEXT NOT NULL,
        message TEXT NOT NULL,
        PRIMARY KEY (session_id, compaction_id, message_id),
        FOREIGN KEY (session_id, compaction_id)
            REFERENCES compactions (session_id, id) ON DELETE CASCADE
    ) WITHOUT ROWID;

    CREATE TABLE notices (
        number INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        created_at TEXT NOT NULL,
        after_message_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL,
        UNIQUE (session_id, id)
    );

    CREATE TABLE learned (
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (kind, key)
    ) WITHOUT ROWID;

    CREATE TABLE inputs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        text TEXT NOT NULL
    );

    CREATE VIRTUAL TABLE message_words USING fts5 (
        words, content = '', detail = none, columnsize = 0,
        tokenize = 'unicode61 remove_diacritics 0'
    );
    """,
    """
    CREATE TABLE file_changes (
        number INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        message_id TEXT NOT NULL,
        path BLOB NOT NULL,
        before_sha TEXT NOT NULL,
        before_size INTEGER NOT NULL,
        before_mode INTEGER NOT NULL,
        before_kept INTEGER NOT NULL,
        missing_folders INTEGER NOT NULL,
        after_sha TEXT NOT NULL
    );
    CREATE INDEX file_changes_session ON file_changes (session_id);
    CREATE INDEX file_changes_blob ON file_changes (before_sha);
    """,
)

NEWEST = len(MIGRATIONS)
