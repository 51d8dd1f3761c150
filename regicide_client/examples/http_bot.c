/* The same over HTTP, by curl: a game of Gridcannon against a novice. cc -o http_bot http_bot.c; ./http_bot URL */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char game[999], token[999], *url;

static char *ask(const char *options, const char *path) { /* the body of an answer */
    static char body[1 << 20], line[2999];
    sprintf(line, "curl -sS -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' %s %s/v1/games%s%s",
            token, options, url, game, path);
    FILE *curl = popen(line, "r");
    body[fread(body, 1, sizeof body - 1, curl)] = 0;
    pclose(curl);
    return body;
}

static void copy(char *to, const char *body, const char *key) { /* the text after a key */
    const char *from = strstr(body, key) + strlen(key);
    sprintf(to, "%.*s", (int)strcspn(from, "\""), from);
}

int main(int count, char **words) {
    char text[99], options[199], id[99], *body, key[] = "\"text\":\"";
    url = words[count - 1];
    body = ask("-d '{\"ruleset\":\"gridcannon\",\"seats\":[{\"kind\":\"human\",\"name\":\"Bot\"},"
               "{\"kind\":\"ai\",\"level\":\"novice\"}]}'", "");
    copy(id, body, "\"id\":\"");
    copy(token, strstr(body, "\"tokens\""), "\"0\":\"");
    sprintf(game, "/%s", id);
    while (strstr(body = ask("", ""), "\"status\":\"active\"")) {
        int version = atoi(strstr(body, "\"version\":") + 10), seen = 0;
        char *chosen = NULL, *next = ask("", "/actions");
        for (; (next = strstr(next, key)); next += sizeof key - 1)
            if (rand() % ++seen == 0) chosen = next;
        if (chosen) {
            copy(text, chosen, key);
            sprintf(options, "-d '{\"text\":\"%s\"}'", text);
            ask(options, "/actions");
        } else { /* somebody else's turn: wait for the next version */
            sprintf(options, "-H 'If-None-Match: \"%d\"'", version);
            ask(options, "?wait=25");
        }
    }
    puts(strstr(body, "\"winner\":0") ? "I have won." : "I haven't won.");
}
