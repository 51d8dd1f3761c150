/* A bot that plays any legal action: cc -o bot bot.c; regicide bot ... --exec ./bot. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = NULL, key[] = "\"text\": \"";
    for (size_t size = 0; getline(&line, &size, stdin) > 0;) {
        char *chosen = NULL, *events = strstr(line, "\"events\": ");
        int seen = 0;
        for (char *next = line; events && (next = strstr(next, key)) && next < events; next += sizeof key - 1)
            if (rand() % ++seen == 0) chosen = next + sizeof key - 1;
        if (strncmp(line, "{\"ended\"", 8) == 0)
            fputs(strstr(line, "\"won\": true") ? "I have won.\n" : "I haven't won.\n", stderr);
        else if (strncmp(line, "{\"error\"", 8) != 0 && chosen)
            printf("\"%.*s\"\n", (int)strcspn(chosen, "\""), chosen), fflush(stdout);
    }
}
